-- What some states say of given jobs, counted. Jobs that a file alone puts in a state are told one by one instead, in
-- every state that they are in: they are looked at twice before they count.
-- Returns part, state, items, jobs, since, fits and the key as text: a row a job for `accused`, for `first` (of each
-- state those that are in it for longest, up to the limit) and for `untold` (in no state of their own), a row a state
-- for `count`, in which `first` are counted too.
WITH given AS (
  SELECT * FROM unnest({key_arrays}) AS given ({keys})
), said AS (
{claims}
), job AS (
  SELECT state, {keys}, bool_or(own) AS own, bool_or(accusing) AS accusing, coalesce(bool_or(fits), false) AS fits,
         count(*) AS items, min(since) FILTER (WHERE isfinite(since)) AS since
    FROM said
   -- Each column of a key may be that of some job while no job has them together. As an expression it is a hash
   -- whatever the planner believes of the states' queries; as a join it may be a loop.
   WHERE CASE WHEN ({keys}) IN (SELECT {keys} FROM given) THEN true ELSE false END
   GROUP BY state, {keys}
), weighed AS (
  SELECT *, CASE WHEN ({keys}) IN (SELECT {keys} FROM job WHERE accusing) THEN true ELSE false END AS accused FROM job
)
SELECT 'accused'::text AS part, state, items, 1::bigint AS jobs, since, fits, {keys_text}
  FROM weighed WHERE accused
UNION ALL
SELECT 'untold', NULL, NULL, NULL, NULL, NULL, {keys_text}
  FROM given WHERE CASE WHEN ({keys}) IN (SELECT {keys} FROM job WHERE own) THEN false ELSE true END
UNION ALL
SELECT 'count', state, sum(items)::bigint, count(*), min(since), NULL, {no_keys}
  FROM weighed WHERE NOT accused GROUP BY state
UNION ALL
SELECT 'first', state, items, 1, since, fits, {keys_text}
  FROM (SELECT *, row_number() OVER (PARTITION BY state ORDER BY since NULLS LAST, {keys}) AS place
          FROM weighed WHERE fits AND NOT accused) AS ranked
 WHERE place <= %(aps_limit)s
