-- What must hold before the commit; a row found here rolls the batch back. Returns {returns}, reason.
SELECT {columns}, 'the job is not just ready again' AS reason
  FROM unnest({arrays}, %(before)s::json[]) AS k ({aliases}, image)
  JOIN {table} AS t ON {same_key}
 WHERE ({conditions}) IS NOT TRUE
