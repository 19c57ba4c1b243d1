-- Store the rendered title. Binds id, rendered_title. Returns id; no row: the article is not being processed.
-- It cannot ask by whom it is processed: a worker whose claim was released completes the claim of the next one.
UPDATE article_claim_demo SET state = 'done', rendered_title = %(rendered_title)s
 WHERE id = %(id)s AND state = 'processing'
RETURNING id
