-- Every state's evidence for given keys, in one statement and so at one snapshot.
-- The key columns are pushed into each query: LATERAL with OFFSET 0, since `= ANY` made one shape a thousand times slower.
-- Returns ordinal (of the key, from 1), state, evidence (json).
SELECT k.aps_ordinal AS ordinal, c.state, c.evidence
  FROM unnest({key_arrays}) WITH ORDINALITY AS k ({key_aliases}, aps_ordinal)
 CROSS JOIN LATERAL (
{branches}
) AS c
