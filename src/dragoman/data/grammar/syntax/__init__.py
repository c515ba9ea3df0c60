"""The trees of the grammar; each one can say itself in both languages."""
