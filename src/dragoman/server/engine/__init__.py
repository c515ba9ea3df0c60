"""All work of networks, done on one thread in turns."""
