"""What a batch means to a model and its objective."""
