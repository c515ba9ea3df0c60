"""Recurrent translators on toy languages: depth, a reversed source, and what attention learns."""
