"""What a client is told when it is refused."""

from collections.abc import Mapping


class Refusal(Exception):  # noqa: N818 - not our failure
    """A request that is not answered; the message is fit for strangers."""

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
        """What OpenAI's interface calls this sort of error."""
        self.param, self.code = param, code
        """Which part of the request is wrong, and a word for programs; of that interface alone."""
        self.headers = dict(headers or {})


def busy(seconds: int = 1) -> Refusal:
    """Too much is waiting already."""
    return Refusal(
        503,
        "The server is busy. Try again in a moment.",
        kind="overloaded_error",
        headers={"Retry-After": str(seconds)},
    )
