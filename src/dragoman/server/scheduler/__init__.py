"""The scheduler: all inference on one thread, requests in turns."""
