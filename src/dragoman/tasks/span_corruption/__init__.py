"""Span corruption (T5): spans cut out of a text are written by a decoder."""
