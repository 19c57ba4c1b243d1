  UNION ALL
  SELECT 'unclassified', {keys} FROM (
{population}
) AS population
   WHERE NOT EXISTS (SELECT FROM claim WHERE lifecycle AND {same_key})
