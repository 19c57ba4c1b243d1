SELECT {state}::text AS state, {lifecycle} AS lifecycle, {itemised} AS itemised, {since}::timestamptz AS since,
       {locked} AS locked, {columns}
  FROM (
{evidence}
) AS q
