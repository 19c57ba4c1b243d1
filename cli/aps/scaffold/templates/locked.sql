-- A standby sees no locks of the primary: unknown there.
       CASE WHEN NOT pg_is_in_recovery() THEN
         EXISTS (SELECT FROM pg_locks l WHERE l.locktype = 'transactionid' AND l.granted AND l.transactionid = t.xmax)
       END AS locked
