"""Tagging: a label for each word of a sentence (sequence labeling, token classification)."""
