"""Optimizers: descent, batches, momentum and adaptive rates, and what their misprints do (K2)."""
