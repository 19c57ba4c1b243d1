-- Whether a table is there, by its catalogue name, which needs no grant. Returns there.
SELECT EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                WHERE n.nspname = %(schema)s AND c.relname = %(table)s) AS there
