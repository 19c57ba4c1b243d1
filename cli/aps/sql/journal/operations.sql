-- Operations, newest first, one row each. Returns operation, at, command, state, role, client_user, applied, planned, reason.
SELECT operation, min(at) AS at, min(command) AS command, min(state) AS state, min(role) AS role,
       min(client_user) AS client_user, min(client_host) AS client_host, sum(applied) AS applied, max(planned) AS planned,
       min(reason) AS reason, min(ticket) AS ticket
  FROM aps_journal.batch GROUP BY operation ORDER BY min(at) DESC LIMIT %(aps_limit)s
