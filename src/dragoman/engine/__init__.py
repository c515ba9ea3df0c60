"""Where text meets tensors: building, training, storing and using models."""
