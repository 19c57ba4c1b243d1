-- How long a statement may take from here on, in this transaction only.
SELECT set_config('statement_timeout', %(statement_timeout)s::text, true)
