"""Is a review good or bad? LSTM, GRU, a convolutional network and a bag of words."""
