"""Networks: tensors in, tensors out, never text."""
