"""The topics of the course: a folder each, or a single file, with a `TOPIC`."""
