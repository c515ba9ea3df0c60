"""Autoencoding: an image through a few numbers and back."""
