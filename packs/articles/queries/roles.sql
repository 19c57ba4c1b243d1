-- What the roles of aps need here, where they exist (`aps init --journal` makes them). Idempotent. None may delete anything.
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'aps_read') THEN
    GRANT SELECT ON article_claim_demo TO aps_read;
  END IF;
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'aps_operate') THEN
    GRANT SELECT, UPDATE (state) ON article_claim_demo TO aps_operate;
  END IF;
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'aps_work') THEN
    GRANT SELECT, UPDATE (state, rendered_title) ON article_claim_demo TO aps_work;
  END IF;
END $$;
