-- A part of survey.sql: the jobs that one state claims.
SELECT {state}::text AS state, {lifecycle} AS lifecycle, {itemised} AS itemised, {since}::timestamptz AS since,
       {locked} AS locked, {columns}
  FROM (
{evidence}
) AS q
