-- Every request that is not done: each must be claimed by exactly one lifecycle state. Written as an exclusion, so that a
-- state nobody thought of is looked at too. Returns request, step.
SELECT request, step FROM agent_step WHERE state <> 'done'
