"""Text: read from files, made into corpora, cut into tokens, gathered into batches. No torch."""
