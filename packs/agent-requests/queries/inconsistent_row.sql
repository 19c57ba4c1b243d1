-- Unfinished requests that no correct writer leaves: their record of owners says other than the row. The other lifecycle
-- queries exclude them, all but uncertain_external_write, which only the other system's record can settle.
-- Returns request, step, since, refusal, fault, state, worker, version, expires_at, newest_ownership, open_ownership.
SELECT s.request, s.step, s.updated_at AS since,
       CASE WHEN o.newest > s.version THEN 'an ownership stands above its version: was the database restored? ask the DBA'
            WHEN s.version = 9223372036854775807 THEN 'the version is at the end of its range' END AS refusal,
       CASE WHEN o.newest > s.version THEN 'an ownership above its version'
            WHEN s.state = 'open' AND o.open IS NULL THEN 'open at a version that cannot rise: no worker can acquire it'
            WHEN s.state = 'open' THEN 'open with an open ownership: something released it past the statements'
            WHEN o.open < s.version THEN 'an open ownership below its version'
            WHEN o.open IS NULL THEN 'owned without an open ownership'
            ELSE 'a lease beyond the longest that is given' END AS fault,
       s.state, s.worker, s.version, s.expires_at, o.newest AS newest_ownership, o.open AS open_ownership
  FROM agent_step s
 CROSS JOIN LATERAL (SELECT min(o.version) FILTER (WHERE o.ended_at IS NULL) AS open, max(o.version) AS newest
                       FROM agent_ownership o WHERE o.request = s.request AND o.step = s.step) o
 WHERE CASE s.state
         WHEN 'open' THEN o.open IS NOT NULL OR o.newest > s.version OR s.version = 9223372036854775807
         WHEN 'owned' THEN NOT (s.expires_at <= %(clock)s AND s.external_operation IS NOT NULL)
                           AND (o.open IS DISTINCT FROM s.version OR o.newest IS DISTINCT FROM s.version
                                OR s.expires_at > %(clock)s + %(max_lease)s)
         ELSE false END
