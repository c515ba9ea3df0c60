"""Curves, attention maps and tables drawn from plain numbers. No torch."""
