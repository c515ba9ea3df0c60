"""Whole networks, each built from its settings class."""
