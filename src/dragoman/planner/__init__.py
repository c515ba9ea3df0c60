"""The planner: what to train, how large and how long, for a corpus, a machine and a time."""
