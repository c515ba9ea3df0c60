"""Scaling laws: loss by FLOPs, isoFLOP profiles and compute-optimal sizes (K14)."""
