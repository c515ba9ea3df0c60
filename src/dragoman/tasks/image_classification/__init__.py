"""Image classification: one of several classes for an image."""
