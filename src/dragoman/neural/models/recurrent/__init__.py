"""Recurrent encoder-decoders: one reader, and a writer for each idea of what it knows."""
