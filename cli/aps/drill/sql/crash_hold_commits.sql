-- Every COMMIT waits for a standby that never comes: it stands on disk, and is not answered. Returns nothing.
ALTER SYSTEM SET synchronous_standby_names = 'nobody'
