"""What to train, how large and how long, for a corpus, a machine and the time there is."""
