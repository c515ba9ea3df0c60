"""Corpora: cleaned of repeats, split into training, validation and test sets."""
