-- A COMMIT is on disk before it is answered.
ALTER DATABASE {database} SET synchronous_commit = on;
