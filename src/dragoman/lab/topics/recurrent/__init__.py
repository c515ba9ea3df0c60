"""Recurrent networks: plain cells, gates, and back-propagation through time (K4)."""
