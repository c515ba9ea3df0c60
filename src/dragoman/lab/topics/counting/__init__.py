"""Parameters and FLOPs: closed forms beside networks that are built without memory (K15)."""
