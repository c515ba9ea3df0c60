"""Is a word that only what follows it explains understood by a network that reads both ways?"""
