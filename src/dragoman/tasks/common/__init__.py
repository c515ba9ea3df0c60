"""What several tasks share: preparation, mean loss, classes, pixels, the model card."""
