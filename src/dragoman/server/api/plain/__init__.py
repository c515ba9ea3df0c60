"""Classifiers and matching networks, in plain JSON."""
