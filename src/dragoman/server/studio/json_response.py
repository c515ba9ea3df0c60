"""JSON responses that can always be encoded, whatever the files hold that they come from."""

import json
from typing import Any

from starlette.responses import Response


class JsonResponse(Response):
    """A JSON response; a lone surrogate becomes a question mark."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """Encode the values."""
        text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return text.encode("utf-8", "replace")
