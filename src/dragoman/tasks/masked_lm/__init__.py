"""Masked language modelling (BERT): masked tokens, predicted from both sides."""
