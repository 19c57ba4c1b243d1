-- C29: one dead holder blocks a key: 40 ready jobs of tenant-9, nothing runs; the reason is one row elsewhere. The reference
-- queue has no lock keys, so this is a queue of its own (the pack is in the test). One job of another tenant runs.
CREATE TABLE public.tenant_job (
  id bigint PRIMARY KEY, state text NOT NULL CHECK (state IN ('ready', 'running', 'done')), lock_key text NOT NULL,
  worker text, epoch bigint NOT NULL DEFAULT 0, lease_until timestamptz, ready_at timestamptz NOT NULL);
CREATE UNIQUE INDEX one_runs_a_key ON public.tenant_job (lock_key) WHERE state = 'running';
GRANT SELECT ON public.tenant_job TO aps_read;
GRANT SELECT, UPDATE ON public.tenant_job TO aps_operate;
INSERT INTO public.tenant_job VALUES
  (2900, 'running', 'tenant-9', 'w-dead', 1, pg_temp.at(-57), pg_temp.at(-80)),
  (2950, 'running', 'tenant-1', 'w1', 1, pg_temp.at(5), pg_temp.at(-1));
INSERT INTO public.tenant_job
SELECT 2900 + n, 'ready', 'tenant-9', NULL, 0, NULL, pg_temp.at(-56 + n) FROM generate_series(1, 40) AS n;
INSERT INTO public.tenant_job VALUES (2951, 'ready', 'tenant-1', NULL, 0, NULL, pg_temp.at(0)),
  (2952, 'ready', 'tenant-2', NULL, 0, NULL, pg_temp.at(0));
