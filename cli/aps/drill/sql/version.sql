-- What the server says that it is, in full. Returns version.
SELECT version() AS version
