"""Adapters as peft stores them, read and written without it."""
