"""The nouns of aps: frozen, inert, without I/O."""
