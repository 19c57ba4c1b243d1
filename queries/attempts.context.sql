-- The ownerships of these jobs, newest first. Returns epoch, worker, claimed_at, ended_at, ended_as, candidate.
SELECT epoch, worker, claimed_at, ended_at, coalesce(ended_as, 'open') AS ended_as, candidate
  FROM aps.attempt WHERE job_id = ANY (%(job_id)s::bigint[]) ORDER BY epoch DESC LIMIT 10
