"""Files of parallel text, read as pairs of lines."""
