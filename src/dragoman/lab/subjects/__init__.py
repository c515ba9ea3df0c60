"""One file for each subject; a file that is dropped here is in `dragoman lab list`."""
