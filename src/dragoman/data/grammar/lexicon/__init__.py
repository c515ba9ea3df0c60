"""The words of the grammar, in both scripts."""
