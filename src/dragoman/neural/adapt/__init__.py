"""Ways to train a trained network further: some of it, or something small beside it."""
