"""What can be trained, a folder each: its data, loss, validation, use and evaluation."""
