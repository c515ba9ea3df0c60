"""Files that people want translated: taken apart into segments, and put together again."""
