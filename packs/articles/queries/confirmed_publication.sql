-- Articles whose rendered title is stored. Returns id, rendered_title.
SELECT id, rendered_title FROM article_claim_demo WHERE state = 'done' AND rendered_title IS NOT NULL
