"""Translation: sentence pairs, teacher forcing, search, BLEU."""
