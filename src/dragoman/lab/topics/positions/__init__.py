"""Positions: waves, tables, rotations and biases (K9)."""
