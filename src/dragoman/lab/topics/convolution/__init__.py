"""Convolutional networks: filters, fields, symmetries, and the networks made of them (K16)."""
