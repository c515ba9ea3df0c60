"""Text as numbers: tokens, one-hot vectors, bags of words and embeddings (K5)."""
