"""Attention: scores, weights, masks and heads (K8)."""
