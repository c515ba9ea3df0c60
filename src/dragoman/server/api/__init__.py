"""The interfaces that clients speak, a folder each."""
