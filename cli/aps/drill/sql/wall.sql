-- The server's own clock, now. Returns clock.
SELECT clock_timestamp() AS clock
