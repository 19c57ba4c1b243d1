-- Articles that are done without a rendered title: no worker statement leaves that. Returns id, title.
SELECT id, title FROM article_claim_demo WHERE state = 'done' AND rendered_title IS NULL
