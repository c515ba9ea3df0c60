"""Classifiers and networks for matching, asked in plain JSON."""
