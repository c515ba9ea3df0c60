"""Scaling laws: isoFLOP profiles, compute-optimal lines and the parametric law; no torch."""
