"""Pooling after the convolution or before, by the maximum or the mean; filters learned or fixed."""
