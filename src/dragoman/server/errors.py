"""API errors: an HTTP status and a message for the client; and the check of its texts."""

from collections.abc import Mapping


class ApiError(Exception):  # noqa: N818 - not our failure
    """An error response; the message says nothing of the server's internals."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        kind: str = "invalid_request_error",
        param: str | None = None,
        code: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.kind = kind
        """The error type in the OpenAI API."""
        self.param, self.code = param, code
        """The parameter that is wrong and the error code, in the OpenAI API alone."""
        self.headers = dict(headers or {})


def busy(seconds: int = 1) -> ApiError:
    """Return the error of a full queue: 503, to be retried after some seconds."""
    return ApiError(
        503,
        "The server is busy. Try again in a moment.",
        kind="overloaded_error",
        headers={"Retry-After": str(seconds)},
    )


def check_text(text: str) -> str:
    """Return a text, if it can be written as UTF-8 and has no NUL."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise ApiError(400, "Invalid request: the text contains an invalid character.") from None
    if "\x00" in text:
        raise ApiError(400, "Invalid request: the text contains NUL.")
    return text
