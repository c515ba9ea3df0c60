"""The middleware: authentication, CORS, limits, trusted hosts, errors and headers."""
