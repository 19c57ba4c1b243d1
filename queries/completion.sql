-- What became of a completion whose answer was lost, or that matched nothing: asked by the epoch of its claim and, where
-- given, its worker, candidate and digest. Binds job_id, epoch, worker, candidate, digest (NULL: not given).
-- Returns one row: answer (applied, superseded, cancelled, open, incompatible, undetermined), final (no later look says
-- otherwise), reason, next, level, what was compared; the row and the attempt of that epoch. No row for an unknown job.
SELECT r.answer, r.final, r.reason, r.next,
       CASE WHEN f.observed_name IS NULL THEN 'recorded' WHEN f.observed_digest IS NULL THEN 'listed'
            ELSE %(observed_level)s::text END AS level,
       concat_ws(', ', 'epoch',
                 CASE WHEN f.its_worker IS NOT NULL AND f.asked_worker IS NOT NULL THEN 'worker' END,
                 CASE WHEN f.its_candidate IS NOT NULL AND f.asked_candidate IS NOT NULL THEN 'candidate' END,
                 CASE WHEN f.published_epoch = f.asked AND f.asked_digest IS NOT NULL THEN 'digest' END,
                 CASE WHEN f.published_epoch = f.asked AND f.observed_digest IS NOT NULL THEN 'bytes' END) AS compared,
       f.state, f.epoch, f.worker, f.claimed_at, f.lease_until,
       f.its_worker AS attempt_worker, f.its_candidate AS attempt_file, f.ended_as AS attempt_ended_as,
       f.ended_at AS attempt_ended_at, f.published_name, f.published_digest, f.published_at, f.withdrawn_at,
       f.observed_size, f.observed_digest
  FROM (
    SELECT j.state, j.epoch, j.lease_until, j.reason, j.published_name, j.published_digest, j.published_epoch,
           j.published_at, j.withdrawn_at, coalesce(j.worker, now_at.worker) AS worker, now_at.claimed_at,
           q.epoch AS asked, q.worker AS asked_worker, q.candidate AS asked_candidate, q.digest AS asked_digest,
           a.ended_as, a.ended_at,
           -- The row is what a publication is compared with; its attempt only where the row has let go of them.
           CASE WHEN j.epoch = q.epoch THEN coalesce(j.worker, a.worker) ELSE a.worker END AS its_worker,
           CASE WHEN j.epoch = q.epoch THEN coalesce(j.candidate, j.published_name, a.candidate)
                ELSE a.candidate END AS its_candidate,
           o.name AS observed_name, o.size AS observed_size, o.digest AS observed_digest, o.error AS observed_error
      FROM aps.job j
     CROSS JOIN (SELECT %(epoch)s::bigint AS epoch, %(worker)s::text AS worker,
                        %(candidate)s::text AS candidate, %(digest)s::text AS digest) AS q
      LEFT JOIN aps.attempt a ON a.job_id = j.job_id AND a.epoch = q.epoch
      LEFT JOIN aps.attempt now_at ON now_at.job_id = j.job_id AND now_at.epoch = j.epoch
      LEFT JOIN unnest(%(observed_names)s::text[], %(observed_sizes)s::bigint[],
                       %(observed_digests)s::text[], %(observed_errors)s::text[]) AS o (name, size, digest, error)
        ON o.name COLLATE "C" = j.published_name
     WHERE j.job_id = ANY (%(job_id)s::bigint[])
  ) AS f
 CROSS JOIN LATERAL (
    SELECT concat_ws('; ',
             CASE WHEN f.asked_worker <> f.its_worker THEN 'it is ' || f.its_worker || '''s, not ' || f.asked_worker || '''s' END,
             CASE WHEN f.asked_candidate <> f.its_candidate
                  THEN 'its file is ' || f.its_candidate || ', not ' || f.asked_candidate END,
             CASE WHEN f.published_epoch = f.asked AND f.asked_digest <> f.published_digest
                  THEN 'it published ' || f.published_digest || ', not ' || f.asked_digest END) AS differs,
           'epoch ' || f.asked AS its,
           'Stop. Do not retry; leave the file ' || coalesce(f.its_candidate || ' ', '') || 'where it is.' AS stop,
           'Stop. Do not retry; ask a person, with the epoch, worker, candidate and digest of the claim.' AS doubt,
           CASE f.state
             WHEN 'running' THEN 'epoch ' || f.epoch || ' is held by ' || coalesce(f.worker, 'nobody known')
                                 || coalesce(to_char(f.claimed_at AT TIME ZONE 'UTC', '" since "YYYY-MM-DD HH24:MI:SS"Z"'), '')
             WHEN 'complete' THEN coalesce(f.worker, 'another worker') || ' published under epoch ' || f.epoch
                                  || CASE WHEN f.withdrawn_at IS NULL THEN '' ELSE ', withdrawn since' END
             ELSE 'the job is ' || f.state || ' at epoch ' || f.epoch || coalesce(' (' || f.reason || ')', '')
           END AS stands,
           to_char(f.lease_until AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS"Z"') AS lease_end,
           'the file ' || f.published_name || ' ' AS file
  ) AS w
 -- The first rule that holds is the answer.
 CROSS JOIN LATERAL (VALUES
    (1, f.asked = 0, 'incompatible', true,
     'Nobody ever owns epoch 0: the first claim makes it 1.', w.doubt),
    (2, f.asked > f.epoch AND f.its_worker IS NOT NULL, 'undetermined', false,
     'The record contradicts itself: an attempt of ' || w.its || ' stands, and the job is at epoch ' || f.epoch || '.',
     'Stop and leave the file where it is until the row is put right.'),
    (3, f.asked > f.epoch, 'incompatible', false,
     'The job never reached ' || w.its || ': it is at epoch ' || f.epoch
     || '. A worker that has it was given it by another database, or by a newer copy of this one.', w.doubt),
    (4, f.its_worker IS NULL AND f.its_candidate IS NULL, 'incompatible', true,
     'No worker ever had ' || w.its || ': an operator''s action made it.', w.doubt),
    (5, f.asked_worker IS NOT NULL AND f.its_worker IS NULL, 'undetermined', false,
     'The attempt of ' || w.its || ' is not recorded, so whose it was cannot be told.', w.doubt),
    (6, w.differs <> '', 'incompatible', true,
     'The record of ' || w.its || ' differs: ' || w.differs || '.', w.doubt),
    (7, f.asked < f.epoch, 'superseded', true,
     'The completion of ' || w.its || ' is refused for good: ' || w.stands || '.', w.stop),
    (8, f.state = 'cancelled', 'cancelled', true,
     'The completion of ' || w.its || ' is refused for good: the job was cancelled' || coalesce(' (' || f.reason || ')', '')
     || '. Cancelling ended no process.', w.stop),
    (9, f.state = 'running' AND %(clock)s < f.lease_until, 'open', false,
     'Nothing is published. The lease of ' || w.its || ' still lives, until ' || w.lease_end || ': it may publish.',
     'Send the same publication again, with this epoch and digest, before the lease ends.'),
    (10, f.state = 'running', 'open', false,
     'Nothing is published. The lease of ' || w.its || ' ended at ' || w.lease_end
     || ': a publication is refused, and the job may pass to another worker.', w.stop),
    (11, f.state = 'failed', 'incompatible', true,
     'The job failed under ' || w.its || coalesce(': ' || f.reason, '') || '. Nothing is published.', w.stop),
    (12, f.state <> 'complete', 'incompatible', false,
     'The worker of ' || w.its || ' gave the job back (' || coalesce(f.ended_as, 'how is not recorded')
     || '): the job is ' || f.state || ', and nothing is published.', w.stop),
    (13, f.withdrawn_at IS NOT NULL, 'incompatible', false,
     'It was applied, and an operator withdrew the publication: consumers do not see it.', w.doubt),
    (14, f.observed_name IS NULL, 'applied', false,
     'The completion of ' || w.its || ' is recorded: ' || f.published_name || ', ' || f.published_digest || '.',
     'Nothing: do not complete it again. Whether the file is there and right, --store tells.'),
    (15, f.observed_error IS NOT NULL, 'undetermined', false,
     'The completion is recorded, but ' || w.file || 'could not be read: ' || f.observed_error || '.',
     'Look again when the file can be read.'),
    (16, f.observed_size IS NULL, 'incompatible', false,
     'The completion is recorded, but ' || w.file || 'is absent.', w.doubt),
    (17, f.observed_digest = f.published_digest, 'applied', false,
     'The completion of ' || w.its || ' is recorded, and ' || w.file || 'has the bytes of ' || f.published_digest || '.',
     'Nothing: do not complete it again.'),
    (18, f.observed_digest LIKE 'sha256:%%', 'incompatible', false,
     'The completion is recorded, but ' || w.file || 'has other bytes: ' || f.observed_digest || '.', w.doubt),
    (19, true, 'undetermined', false,
     'The completion is recorded, but ' || w.file || coalesce('has a digest of an unknown method: ' || f.observed_digest,
                                                              'was listed only, not read') || '.',
     'Look again with a store whose files can be read.')
  ) AS r (place, holds, answer, final, reason, next)
 WHERE r.holds ORDER BY r.place LIMIT 1
