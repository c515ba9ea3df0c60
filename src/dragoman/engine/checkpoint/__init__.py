"""States of a training, stored safely and found again."""
