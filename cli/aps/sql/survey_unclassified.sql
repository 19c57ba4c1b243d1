-- A part of survey.sql: the jobs of the population that no lifecycle state claims.
  UNION ALL
  SELECT 'unclassified', {keys} FROM (
{population}
) AS population
   WHERE {keyed} AND NOT EXISTS (SELECT FROM claim WHERE lifecycle AND {same_key})
