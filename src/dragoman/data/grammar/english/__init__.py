"""The forms of English words."""
