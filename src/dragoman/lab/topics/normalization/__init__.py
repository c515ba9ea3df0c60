"""Normalization and residual connections (K10)."""
