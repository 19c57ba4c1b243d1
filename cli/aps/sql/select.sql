-- The jobs of one state, oldest first; narrowed by evidence, the limit after that. Returns the key as text, aps_since.
SELECT {keys_text}, {since}::text AS aps_since FROM (
{evidence}
) AS q WHERE {conditions} {grouping}
 ORDER BY {since} ASC NULLS LAST, {keys} LIMIT %(aps_limit)s
