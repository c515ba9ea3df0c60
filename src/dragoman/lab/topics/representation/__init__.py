"""Representation learning: CLIP, autoencoders and PCA (K18)."""
