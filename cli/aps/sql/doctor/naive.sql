-- The columns of a table that are timestamps without a time zone, and the time zone of the server's sessions. Returns
-- column_name, zone.
SELECT a.attname AS column_name, (SELECT reset_val FROM pg_settings WHERE name = 'TimeZone') AS zone
  FROM pg_attribute a
  JOIN pg_class c ON c.oid = a.attrelid
  JOIN pg_namespace n ON n.oid = c.relnamespace
 WHERE c.relname = %(table)s AND n.nspname = %(schema)s AND a.attnum > 0 AND NOT a.attisdropped
   AND a.atttypid = 'timestamp'::regtype
 ORDER BY a.attnum
