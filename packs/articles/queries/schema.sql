-- The table of the demonstration, as its authors wrote it. It holds no worker, no lease, no time and no generation.
CREATE TABLE article_claim_demo (
  id             integer PRIMARY KEY,
  title          text NOT NULL,
  state          text NOT NULL DEFAULT 'ready' CHECK (state IN ('ready', 'processing', 'done')),
  rendered_title text
);
