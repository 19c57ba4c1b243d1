-- The batches of the operations whose id starts so. Returns the batch rows, times and ids as text.
SELECT operation, batch, transaction_id, at, command, system, state, pack, pack_sha256, plan_sha256, role, acting_role,
       client_user, client_host, reason, ticket, array_to_string(attested, ', ') AS attested, planned, applied
  FROM aps_journal.batch WHERE starts_with(operation::text, %(prefix)s::text) ORDER BY operation, at, batch
