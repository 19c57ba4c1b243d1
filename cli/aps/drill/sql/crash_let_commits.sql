-- No COMMIT waits for a standby. Returns nothing.
ALTER SYSTEM RESET synchronous_standby_names
