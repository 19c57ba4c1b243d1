-- The version of these tables. Returns version.
SELECT max(version) AS version FROM agent_version
