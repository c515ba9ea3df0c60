"""Networks that bring images and texts together."""
