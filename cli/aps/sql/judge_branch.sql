-- A part of judge.sql: one state, its evidence for one key. With .* it is the row, also where a column is called e.
SELECT {state}::text AS state, row_to_json(e.*)::text AS evidence FROM (SELECT * FROM (
{evidence}
) AS q WHERE {same_key} OFFSET 0) AS e
