-- From here on a reclaim touches another row too: at once, or late, at the end of its transaction. Returns nothing.
INSERT INTO drill.meddling (late) VALUES (%(late)s)
