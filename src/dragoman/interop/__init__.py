"""Exchange with other libraries: their checkpoints become runs, and runs become theirs."""
