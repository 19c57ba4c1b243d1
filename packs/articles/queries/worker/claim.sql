-- Take one ready article: choosing and possession are this one statement. Binds nothing. Returns id, title.
-- No row: this attempt got nothing. Another session may hold what is ready; the queue need not be empty.
WITH candidate AS (
  SELECT id FROM article_claim_demo WHERE state = 'ready' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED
)
UPDATE article_claim_demo a SET state = 'processing'
  FROM candidate c WHERE a.id = c.id
RETURNING a.id, a.title
