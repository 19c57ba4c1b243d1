-- An empty queue again. Returns nothing of use.
SELECT drill.reset()
