-- Make claimed articles ready again. Runs on locked rows that are still as planned. Returns id.
UPDATE article_claim_demo SET state = 'ready' WHERE id = ANY (%(id)s::integer[]) RETURNING id
