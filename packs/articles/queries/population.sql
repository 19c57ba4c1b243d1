-- Every article that is not done. Returns id.
SELECT id FROM article_claim_demo WHERE state <> 'done'
