"""Counted baselines: what any network must beat."""
