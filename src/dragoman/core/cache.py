"""The cache folder, for what can be made or fetched again."""

import os
import sys
from pathlib import Path


def cache_folder() -> Path:
    """Return $DRAGOMAN_CACHE, or the place where this system keeps a user's caches."""
    if chosen := os.environ.get("DRAGOMAN_CACHE"):
        return Path(chosen)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "dragoman"
    variable, usual = "XDG_CACHE_HOME", Path.home() / ".cache"
    if os.name == "nt":
        variable, usual = "LOCALAPPDATA", Path.home() / "AppData" / "Local"
    return Path(os.environ.get(variable) or usual) / "dragoman"
