"""JSON responses that can always be sent, whatever the files say that they come from."""

import json
from typing import Any

from starlette.responses import Response


class Json(Response):
    """Plain values as JSON; half a character becomes a question mark."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """Write the values."""
        text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return text.encode("utf-8", "replace")
