-- The database clock, now. Returns clock.
SELECT clock_timestamp() AS clock, %(aps)s::text AS asked_by
