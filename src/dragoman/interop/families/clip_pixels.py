"""Image preprocessing of CLIP: resized, center-cropped and normalized.

That stands in a file beside the settings; what it leaves out, and all where there is none, is as
in the first CLIP: the shorter side by cubic interpolation, then the middle.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from dragoman.core.errors import ConfigError
from dragoman.data.batching.pixels import Pixels
from dragoman.data.formats.framing import Resampling
from dragoman.interop.foreign import read_keys

FILE = "preprocessor_config.json"
FILE_OF_BOTH = "processor_config.json"
MEAN = (0.48145466, 0.4578275, 0.40821073)
DEVIATION = (0.26862954, 0.26130258, 0.27577711)
RESAMPLING: tuple[Resampling, ...] = (
    *("nearest", "lanczos", "bilinear"),
    *("bicubic", "box", "hamming"),
)
"""By their numbers in such a file."""

CUBIC = 3


def read_pixels(folder: Path, size: int, channels: int) -> Pixels:
    """Return how images become what a network reads, from the file that says so if any does."""
    said = _read(folder / FILE) or _read(folder / FILE_OF_BOTH).get("image_processor") or {}
    _check_cut(said, size, folder)
    whole = said.get("do_normalize", True)
    mean = said.get("image_mean", MEAN) if whole else [0.0] * channels
    deviation = said.get("image_std", DEVIATION) if whole else [1.0] * channels
    fit = {"sides": _sides(said, size, folder), "resampling": _resampling(said, folder)}
    told = {"size": size, "mean": mean, "deviation": deviation, "fit": fit}
    pixels = Pixels.from_json(json.dumps(told), str(folder))
    if pixels.channels != channels:
        raise ConfigError(
            f"{folder}: images have {channels} colours, but {pixels.channels} are normed. Such a "
            "network cannot be used here."
        )
    white = 255 * _factor(said, folder)
    mean, deviation = ([value / white for value in one] for one in (pixels.mean, pixels.deviation))
    return replace(pixels, mean=tuple(mean), deviation=tuple(deviation))


def _check_cut(said: Mapping[str, Any], size: int, folder: Path) -> None:
    cut = said.get("crop_size", size)
    if said.get("do_center_crop", True) and cut not in (size, {"height": size, "width": size}):
        raise ConfigError(
            f"{folder}: crop_size = {cut!r}: the network reads images of {size}×{size}. Such a "
            "network cannot be used here."
        )


def _factor(said: Mapping[str, Any], folder: Path) -> float:
    """Return what a byte is multiplied by before it is normed."""
    factor = said.get("rescale_factor", 1 / 255) if said.get("do_rescale", True) else 1.0
    if not isinstance(factor, int | float) or factor <= 0:
        raise ConfigError(f"{folder}: rescale_factor = {factor!r}: is no factor.")
    return float(factor)


def _sides(said: Mapping[str, Any], size: int, folder: Path) -> list[int]:
    if not said.get("do_resize", True):
        return []
    asked = said.get("size", size)
    match {"shortest_edge": asked} if isinstance(asked, int) else asked:
        case {"shortest_edge": int(shorter), **rest} if not rest:
            return [shorter]
        case {"height": int(height), "width": int(width), **rest} if not rest:
            return [height, width]
    known = "shortest_edge; height and width"
    raise ConfigError(f"{folder}: size = {asked!r}: unknown. Known: {known}.")


def _resampling(said: Mapping[str, Any], folder: Path) -> Resampling:
    number = said.get("resample", CUBIC)
    if not isinstance(number, int) or not 0 <= number < len(RESAMPLING):
        raise ConfigError(f"{folder}: resample = {number!r}: unknown.")
    return RESAMPLING[number]


def _read(path: Path) -> Mapping[str, Any]:
    return read_keys(path) if path.exists() else {}
