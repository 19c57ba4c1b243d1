-- What sessions of this role start with in this database, whatever this session has set since. Returns name, value, source.
SELECT name, reset_val AS value, unit, source FROM pg_settings WHERE name = ANY (%(names)s::text[])
