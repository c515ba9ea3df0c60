"""The library itself: asked for in one place, and its failures told in one line."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from dragoman.core.errors import ConfigError, RunError


def ctranslate2() -> Any:
    """Return the library, or say how to get it."""
    try:
        import ctranslate2 as library
    except ImportError:
        raise ConfigError(
            "CTranslate2 is not installed. Install it with: pip install 'dragoman[export]'"
        ) from None
    return library


def open_model(folder: Path, device: torch.device, threads: int) -> Any:
    """Load a model into the library's translator."""
    kind = "cuda" if device.type == "cuda" else "cpu"
    with explain_failures(folder):
        return ctranslate2().Translator(
            str(folder), device=kind, inter_threads=1, intra_threads=threads
        )


@contextmanager
def explain_failures(where: Path) -> Iterator[None]:
    """Turn what the library throws into an error that a user can mend."""
    try:
        yield
    except (RuntimeError, ValueError, MemoryError) as error:
        told = " ".join(str(error).split())
        raise RunError(
            f"{where}: CTranslate2 cannot work with it ({told}). Export the run again."
        ) from error


@contextmanager
def torch_resting() -> Iterator[int]:
    """Keep torch to one thread while the library works, so that the two do not fight for cores."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield before
    finally:
        torch.set_num_threads(before)
