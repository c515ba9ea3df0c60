"""The studio: a page for people, and its API."""
