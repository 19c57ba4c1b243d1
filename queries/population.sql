-- Every job that is not in a known finished state: each must be claimed by exactly one lifecycle state.
-- Written as an exclusion, so that a state nobody thought of is looked at too. Returns job_id.
SELECT job_id FROM aps.job WHERE state NOT IN ('complete', 'cancelled', 'failed')
