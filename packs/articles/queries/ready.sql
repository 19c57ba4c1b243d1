-- Articles that any worker may claim. A locked one is being claimed right now, or held by somebody.
-- Returns id, locked, title.
SELECT a.id,
       -- A standby sees no locks of the primary: unknown there.
       CASE WHEN NOT pg_is_in_recovery() THEN
         EXISTS (SELECT FROM pg_locks l WHERE l.locktype = 'transactionid' AND l.granted AND l.transactionid = a.xmax)
       END AS locked,
       a.title
  FROM article_claim_demo a
 WHERE a.state = 'ready' AND a.rendered_title IS NULL
