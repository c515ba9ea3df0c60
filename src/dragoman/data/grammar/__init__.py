"""A synchronous English-Hindi grammar: one tree, two sentences and their word alignment."""
