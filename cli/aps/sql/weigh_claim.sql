-- A part of weigh.sql: what one state says of given jobs. `= ANY` reads by an index, or compares by a hash; joined with
-- the keys it may become a loop over all of both, since nothing is known of the states' queries.
SELECT {state}::text AS state, {own} AS own, {accusing} AS accusing, {since}::timestamptz AS since, {fits} AS fits,
       {columns}
  FROM (
{evidence}
) AS q
 WHERE {among}
