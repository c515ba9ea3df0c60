"""Causal language modelling: the next token of plain text, and generation."""
