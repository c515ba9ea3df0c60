"""Networks that say what an image shows, one family a file."""
