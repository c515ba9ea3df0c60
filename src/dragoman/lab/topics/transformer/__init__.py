"""The Transformer: its block, one text for source and target, and what recurrence costs (K11)."""
