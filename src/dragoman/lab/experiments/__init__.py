"""One folder for each experiment; one that is dropped here is in `dragoman lab list`."""
