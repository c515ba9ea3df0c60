"""The data doctor: what is wrong with a corpus, before time is spent on training with it."""
