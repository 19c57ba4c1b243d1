-- Which of these functions are VOLATILE; those of the server that only tell how it stands are no harm and left out.
-- Without a schema those that the search path finds. Returns schema, name, all_volatile (every overload), builtin.
SELECT asked.schema, asked.name, bool_and(p.provolatile = 'v') AS all_volatile,
       bool_and(n.nspname = 'pg_catalog') AS builtin
  FROM unnest(%(schemas)s::text[], %(names)s::text[]) AS asked (schema, name)
  JOIN pg_proc p ON p.proname = asked.name
  JOIN pg_namespace n ON n.oid = p.pronamespace
 WHERE (n.nspname = asked.schema OR (asked.schema IS NULL AND pg_function_is_visible(p.oid)))
   AND NOT (n.nspname = 'pg_catalog'
            AND p.proname ~ '^(pg_(is|last|current|get|control|partition|xact|show|stat_get|stat_have)_|txid_status$)|^pg_(lock_status|(safe_snapshot_)?blocking_pids|notification_queue_usage|sequence_last_value|prepared_xact|jit_available|.*_size)$')
 GROUP BY asked.schema, asked.name
HAVING bool_or(p.provolatile = 'v')
