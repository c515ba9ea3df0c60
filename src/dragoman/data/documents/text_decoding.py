"""The bytes of a file as text, or an error that says in which line they are not."""

from dragoman.core.errors import DataError

UTF8_MARK = b"\xef\xbb\xbf"
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def decode_text(data: bytes, name: str, encoding: str = "utf-8") -> str:
    """Return the text of a file; a byte order mark stays as U+FEFF at its start.

    Encoding the text again gives the same bytes. Lines are counted by their line feeds.
    """
    if encoding == "utf-8" and data.startswith(UTF16_MARKS):
        raise DataError(
            f"{name}:1: the file is UTF-16. Save it as UTF-8: iconv -f UTF-16 -t UTF-8 OLD > NEW"
        )
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DataError(
            f"{name}:{line}: not {encoding.upper()} (byte 0x{data[error.start]:02x}). "
            "Save the file as UTF-8, or take the line out."
        ) from error
    if "\0" in text:
        line = line_of(text, text.index("\0"))
        raise DataError(f"{name}:{line}: a NUL byte. Is this a text file? Take the byte out.")
    return text


def line_of(text: str, place: int) -> int:
    """Return the number of the line a place stands in, counted from 1."""
    return text.count("\n", 0, place) + 1


def blanks_before(text: str, place: int) -> int:
    """Return where the blanks right before a place begin; a search for its line could be long."""
    while place and text[place - 1] in " \t":
        place -= 1
    return place


def has_letters(text: str) -> bool:
    """Whether there is something to translate: a text without a letter is no segment."""
    return any(map(str.isalpha, text))


def storable(text: str) -> str:
    """Return what a file can hold: half characters become U+FFFD, and NUL goes."""
    text = text.replace("\0", "")
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
