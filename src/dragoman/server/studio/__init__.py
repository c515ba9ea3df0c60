"""The studio: one page for people, and what it asks."""
