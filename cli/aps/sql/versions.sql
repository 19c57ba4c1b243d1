-- The newest version of a schema that aps made. Returns version.
SELECT max(version) AS version, %(aps)s::text AS asked_by FROM {schema}.version
