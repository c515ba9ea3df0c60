"""Metrics of outputs. No torch."""
