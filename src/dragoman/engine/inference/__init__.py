"""Trained models at work on text."""
