-- Articles whose rendered title is stored; an empty one only of an empty title. Returns id, rendered_title.
SELECT id, rendered_title FROM article_claim_demo WHERE state = 'done' AND (rendered_title <> '' OR title = rendered_title)
