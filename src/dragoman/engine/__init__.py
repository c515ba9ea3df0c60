"""Building, training and storing networks, whatever the task."""
