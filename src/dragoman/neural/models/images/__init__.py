"""Networks that say what a picture shows, one family a file."""
