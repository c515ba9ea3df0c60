"""Text classification: one of several classes for a text."""
