"""The forms of Hindi words."""
