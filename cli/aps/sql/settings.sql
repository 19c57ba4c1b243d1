-- What is pinned for this transaction only, so that text compares and nothing waits for long; nothing stays in the session.
SELECT set_config('TimeZone', 'UTC', true), set_config('DateStyle', 'ISO, YMD', true),
       set_config('IntervalStyle', 'iso_8601', true), set_config('bytea_output', 'hex', true),
       set_config('extra_float_digits', '1', true), set_config('row_security', 'off', true),
       set_config('synchronous_commit', 'on', true),
       -- Compiling a judgement of thousands of keys costs thirty times what it takes to run (measured on 15).
       set_config('jit', 'off', true),
       set_config('statement_timeout', %(statement_timeout)s::text, true),
       set_config('lock_timeout', %(lock_timeout)s::text, true),
       set_config('idle_in_transaction_session_timeout', %(idle_timeout)s::text, true),
       set_config('search_path', %(search_path)s::text, true)
