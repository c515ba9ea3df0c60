"""The training loop and those who watch it."""
