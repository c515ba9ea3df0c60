"""Pretraining: what is predicted, from which side, and how large the networks are (K12)."""
