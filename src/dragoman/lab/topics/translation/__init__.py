"""Translation with encoder, decoder and alignment (K7)."""
