-- The jobs of one state, oldest first; narrowed by evidence, the limit after that. Returns the key as text.
SELECT {keys_text} FROM (
{evidence}
) AS q WHERE {conditions} {grouping}
 ORDER BY {since} ASC NULLS LAST, {keys} LIMIT %(aps_limit)s
