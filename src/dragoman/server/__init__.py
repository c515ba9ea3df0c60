"""The server: APIs that clients know already, and a page for people."""
