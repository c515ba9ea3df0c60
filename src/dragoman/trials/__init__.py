"""Trials: independent pieces of work, each in a process of its own."""
