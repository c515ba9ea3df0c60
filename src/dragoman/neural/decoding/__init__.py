"""Searching for the best output, one token at a time."""
