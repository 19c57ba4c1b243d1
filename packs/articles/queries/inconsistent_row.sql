-- Articles that are not done and yet have a rendered title: a reset changed the state and left the rest, or something wrote
-- past the worker statements. The other lifecycle queries exclude them. Returns id, state, title, rendered_title.
SELECT id, state, title, rendered_title FROM article_claim_demo WHERE state <> 'done' AND rendered_title IS NOT NULL
