-- For the rest of this transaction nothing waits for a lock.
SELECT set_config('lock_timeout', %(lock_timeout)s::text, true)
