"""Tasks that can be trained, a folder each: data, loss, validation, use and evaluation."""
