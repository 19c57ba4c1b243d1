-- What must hold before the commit: the article is ready, and nothing else of it has changed.
-- Binds before, the rows as they were. Returns id, reason.
SELECT a.id, 'the article is not just ready again' AS reason
  FROM unnest(%(id)s::integer[], %(before)s::json[]) AS b (id, image)
  JOIN article_claim_demo a USING (id)
 WHERE (a.state, a.title, a.rendered_title) IS DISTINCT FROM ('ready', b.image ->> 'title', b.image ->> 'rendered_title')
