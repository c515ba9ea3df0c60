"""Corpora that are computed rather than downloaded."""
