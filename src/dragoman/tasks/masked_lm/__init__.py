"""Masked language modelling (BERT): hidden tokens, guessed from both sides."""
