-- What may be acted upon only where it is so: writable, and the journal there. Returns journal_version, may_write.
SELECT (SELECT max(version) FROM aps_journal.version) AS journal_version,
       has_table_privilege('aps_journal.entry', 'INSERT') AS may_write, %(aps)s::text AS asked_by
