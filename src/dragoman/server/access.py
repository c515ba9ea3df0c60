"""Access: everyone on this machine, or everyone who has an API key."""

from dragoman.config.serving import ServingSettings
from dragoman.core.addresses import is_loopback
from dragoman.core.errors import ConfigError
from dragoman.server.middleware.api_keys import KeyFile


def load_keys(settings: ServingSettings) -> KeyFile | None:
    """Load the API keys of a server; without keys it may only listen on loopback."""
    if settings.keys is not None:
        return KeyFile.load(settings.keys)
    for name in (settings.host, *settings.hosts):
        if not is_loopback(name.strip("[]")):
            raise ConfigError(
                f"{name}: a server that others can reach needs keys. "
                "Make one with `dragoman key add FILE NAME`, then give --keys FILE."
            )
    return None
