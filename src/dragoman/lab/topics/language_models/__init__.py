"""Language models: how likely a sentence is, and what that is good for (K6)."""
