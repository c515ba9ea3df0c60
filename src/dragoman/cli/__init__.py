"""The command: one verb per file."""
