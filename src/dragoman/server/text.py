"""Validation of text from clients."""

from dragoman.server.errors import ApiError


def check_text(text: str) -> str:
    """Return a text, if it can be written as UTF-8 and has no NUL."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise ApiError(400, "Invalid request: the text holds half a character.") from None
    if "\x00" in text:
        raise ApiError(400, "Invalid request: the text holds NUL.")
    return text
