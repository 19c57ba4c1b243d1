-- Articles that are done without a rendered title, or with an empty one of a title that is not. Returns id, title,
-- rendered_title.
SELECT id, title, rendered_title FROM article_claim_demo
 WHERE state = 'done' AND (rendered_title IS NULL OR (rendered_title = '' AND title <> ''))
