"""How words are best masked, what the next sentence is worth, and what a masked model can write."""
