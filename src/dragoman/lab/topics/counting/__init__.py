"""Parameters and FLOPs: closed forms against networks built on the meta device (K15)."""
