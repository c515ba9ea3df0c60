"""Every setting of the toolkit, in frozen classes, read from TOML and written back to it."""
