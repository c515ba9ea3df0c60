"""Budgets of a training: what fits into a time, a number of FLOPs or a memory."""
