"""The scheduler: all inference on one thread, with dynamic and continuous batching."""
