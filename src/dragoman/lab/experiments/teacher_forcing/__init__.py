"""Training a translator on the right words or on its own (teacher forcing)."""
