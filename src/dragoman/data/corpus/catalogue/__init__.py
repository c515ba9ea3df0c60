"""Public corpora: what there is, and how the ordinary package clients bring it."""
