"""The kinds of checkpoint that are known, one file each."""
