"""Matrix calculus: derivatives in both layouts, and the chain rule (K1)."""
