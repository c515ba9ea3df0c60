"""Text from strangers."""

from dragoman.server.refusal import Refusal


def checked(text: str) -> str:
    """Return a text that can be written as UTF-8 and holds no NUL; another one is refused."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise Refusal(400, "Invalid request: the text holds half a character.") from None
    if "\x00" in text:
        raise Refusal(400, "Invalid request: the text holds NUL.")
    return text
