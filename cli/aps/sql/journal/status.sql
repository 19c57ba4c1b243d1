-- What became of a transaction. Only `in progress` is believed, as a reason to ask again: after a crash an id may be
-- used a second time. Asking for an id that a crash took back is an error (22023). Returns status.
SELECT pg_xact_status(%(transaction_id)s::text::xid8) AS status
