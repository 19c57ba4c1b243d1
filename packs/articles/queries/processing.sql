-- Articles that a worker claimed. The table has no generation, so the version of the row stands in for one between the
-- plan and the write: it tells this claim from a later one, though never whose it is. Returns id, row_version, title.
SELECT a.id, a.xmin::text AS row_version, a.title
  FROM article_claim_demo a
 WHERE a.state = 'processing' AND a.rendered_title IS NULL
