"""One file a command: options, call, print, exit. Nothing else does these."""
