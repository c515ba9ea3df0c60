"""The LibreTranslate API, so that its clients work unchanged."""
