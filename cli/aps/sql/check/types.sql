-- How types are written. Returns type, name.
SELECT type, format_type(type, NULL) AS name FROM unnest(%(types)s::text[]::oid[]) AS type
