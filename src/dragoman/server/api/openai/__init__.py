"""The OpenAI API for language models, so that its clients work unchanged."""
