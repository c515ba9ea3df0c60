"""One file for each kind of task that can be trained."""
