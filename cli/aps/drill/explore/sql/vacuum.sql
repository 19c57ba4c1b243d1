-- What thousands of resets left behind slows every step. Returns nothing.
VACUUM
