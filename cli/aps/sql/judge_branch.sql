-- A part of judge.sql: one state, its evidence for one key.
SELECT {state}::text AS state, row_to_json(e)::text AS evidence FROM (SELECT * FROM (
{evidence}
) AS q WHERE {same_key} OFFSET 0) AS e
