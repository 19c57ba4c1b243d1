-- The journal of aps: schema `aps_journal`, version 1. Run once by `aps init`, in one transaction. INSERT only.
CREATE SCHEMA aps_journal;

CREATE TABLE aps_journal.version (
  version    integer PRIMARY KEY,
  applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
INSERT INTO aps_journal.version (version) VALUES (1);

-- One row a committed batch of an operation, written by the transaction that had the effect.
CREATE TABLE aps_journal.batch (
  -- Minted by the client for each try, so that one lost COMMIT can be told from the next.
  batch          uuid PRIMARY KEY,
  operation      uuid NOT NULL,
  transaction_id xid8 NOT NULL DEFAULT pg_current_xact_id(),
  command        text NOT NULL,
  system         text NOT NULL,
  state          text NOT NULL,
  pack           text NOT NULL,
  pack_sha256    text NOT NULL,
  plan_sha256    text NOT NULL,
  role           text NOT NULL DEFAULT session_user,
  acting_role    text NOT NULL DEFAULT current_user,
  -- Who asked, as the client told it: shown, not proven.
  client_user    text,
  client_host    text,
  reason         text NOT NULL,
  ticket         text,
  attested       text[] NOT NULL,
  -- Of the whole plan; what this batch changed; and what it left alone, job to outcome and detail.
  planned        integer NOT NULL,
  applied        integer NOT NULL,
  left_alone     json NOT NULL,
  at             timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX batch_at ON aps_journal.batch (at);
CREATE INDEX batch_of_operation ON aps_journal.batch (operation);

-- One row a changed job (and item), with the columns that the action changed.
CREATE TABLE aps_journal.entry (
  operation uuid NOT NULL,
  batch     uuid NOT NULL,
  job       text NOT NULL,
  item      text NOT NULL DEFAULT '',
  phase     text NOT NULL CHECK (phase IN ('intent', 'applied')),
  outcome   text NOT NULL,
  detail    text NOT NULL,
  before    json,
  after     json,
  PRIMARY KEY (operation, job, item, phase)
);
CREATE INDEX entry_of_job ON aps_journal.entry (job);
