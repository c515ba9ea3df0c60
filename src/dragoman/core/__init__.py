"""Basics of every stage: errors, shapes, safe files, the console, the lock of a run folder."""
