-- Record a batch in the transaction of its effect. Returns transaction_id.
INSERT INTO aps_journal.batch (operation, batch, command, system, state, pack, pack_sha256, plan_sha256,
                               client_user, client_host, reason, ticket, attested, planned, applied,
                               left_alone)
VALUES (%(operation)s::uuid, %(batch)s::uuid, %(command)s, %(system)s, %(state)s, %(pack)s, %(pack_sha256)s, %(plan_sha256)s,
        %(client_user)s, %(client_host)s, %(reason)s, %(ticket)s, %(attested)s::text[], %(planned)s, %(applied)s,
        %(left_alone)s::json)
RETURNING transaction_id
