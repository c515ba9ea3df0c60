"""The `tokenizers` library, kept from bringing the program down."""

from collections.abc import Iterator
from contextlib import contextmanager

from dragoman.core.errors import DataError


@contextmanager
def explain_panics() -> Iterator[None]:
    """Turn a panic of the library, which is no `Exception`, into a DataError."""
    try:
        yield
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise DataError(
            f"the tokenizer cannot work with this: {error}. Train the tokenizer anew."
        ) from error
