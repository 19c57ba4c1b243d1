-- The store that this database publishes into: the one bound last. Returns store_id.
SELECT store_id, %(aps)s::text AS asked_by FROM aps.store ORDER BY bound_at DESC, store_id LIMIT 1
