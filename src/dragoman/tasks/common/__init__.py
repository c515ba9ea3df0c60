"""Shared parts of tasks: preparation, mean loss, classes, pixels, the model card."""
