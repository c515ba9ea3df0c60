"""Runs, served: an interface that clients already speak, and a page for people."""
