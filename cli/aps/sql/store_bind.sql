-- This database publishes into that store from now on.
INSERT INTO aps.store (store_id) VALUES (%(store_id)s)
    ON CONFLICT (store_id) DO UPDATE SET bound_at = clock_timestamp()
