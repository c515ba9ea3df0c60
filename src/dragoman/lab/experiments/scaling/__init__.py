"""Scaling laws of a decoder-only model on Pig Latin."""
