"""The APIs of the server, a folder each."""
