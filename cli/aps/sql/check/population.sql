-- How many jobs the population holds. Returns jobs.
SELECT count(*) AS jobs, %(clock)s::timestamptz AS as_of FROM (
{population}
) AS population
