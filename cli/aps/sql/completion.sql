-- What a pack says of one completion. Returns its row as json, so that times and numbers are texts as elsewhere.
SELECT row_to_json(e.*)::text AS completion FROM (
{completion}
) AS e
