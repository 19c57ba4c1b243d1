-- Operations, newest first, one row each; `open` files were to be moved, and what became of them is not recorded.
-- Returns operation, at, command, state, role, client_user, client_host, applied, open, planned, reason, ticket.
SELECT b.operation, b.at, b.command, b.state, b.role, b.client_user, b.client_host, b.applied, o.open, b.planned,
       b.reason, b.ticket
  FROM (SELECT operation, min(at) AS at, min(command) AS command, min(state) AS state, min(role) AS role,
               min(client_user) AS client_user, min(client_host) AS client_host, sum(applied) AS applied,
               max(planned) AS planned, min(reason) AS reason, min(ticket) AS ticket
          FROM aps_journal.batch GROUP BY operation ORDER BY min(at) DESC LIMIT %(aps_limit)s) AS b
 CROSS JOIN LATERAL (
   SELECT count(*) AS open FROM aps_journal.entry e
    WHERE e.operation = b.operation AND e.phase = 'intent'
      AND NOT EXISTS (SELECT FROM aps_journal.entry c
                       WHERE (c.operation, c.job, c.item) = (e.operation, e.job, e.item) AND c.phase = 'applied')) AS o
 ORDER BY b.at DESC
