"""Metrics and losses: cross entropy, squared error, BLEU (K17)."""
