"""Captions of the images of a run: NAME.captions.jsonl, a line for each image of a store.

split.json has the seed, the sizes, what the pixels are like, the findings and the checksums of the
tables.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dragoman.core.checksums import read_checked
from dragoman.core.errors import DataError
from dragoman.core.files import write_atomic
from dragoman.data.corpus.captions import SETS, CaptionedImages
from dragoman.data.corpus.split_file import findings_of, open_split, save_split
from dragoman.data.formats.captioned import Caption

FORMAT = "dragoman-caption-split"


@dataclass(frozen=True)
class ImageCaptions:
    """The captions of one image."""

    image: str
    """The name of its file."""

    captions: tuple[Caption, ...]


@dataclass(frozen=True)
class HeldOutCaptions:
    """The captions of all images of a run, by set."""

    sets: dict[str, list[ImageCaptions]]
    pixels: str
    """What is known of the pixels, as JSON."""
    findings: list[str]


def save_captions(
    corpus: CaptionedImages, sets: dict[str, list[ImageCaptions]], pixels: str, folder: Path
) -> None:
    """Write the captions of each set; split.json comes last, so it vouches for the rest."""
    for name, images in sets.items():
        lines = [
            json.dumps({"image": one.image, "captions": [[*c] for c in one.captions]}) + "\n"
            for one in images
        ]
        write_atomic(folder / f"{name}.captions.jsonl", "".join(lines))
    sizes = {name: len(images) for name, images in sets.items()}
    save_split(folder, FORMAT, corpus, {"images": sizes, "pixels": pixels})


def load_captions(folder: Path) -> HeldOutCaptions:
    """Read back what `save_captions` wrote."""
    with open_split(folder, FORMAT) as record:
        sets = {
            name: _read(folder / f"{name}.captions.jsonl", int(record["images"][name]))
            for name in SETS
        }
        return HeldOutCaptions(sets, str(record["pixels"]), findings_of(record))


def _read(path: Path, count: int) -> list[ImageCaptions]:
    lines = read_checked(path).decode("utf-8").split("\n")[:-1]
    if len(lines) != count:
        raise DataError(
            f"{path}: has {len(lines)} lines, where split.json speaks of {count}. "
            "Prepare the corpus again."
        )
    return [_said(json.loads(line)) for line in lines]


def _said(record: Any) -> ImageCaptions:
    return ImageCaptions(str(record["image"]), tuple(_caption(one) for one in record["captions"]))


def _caption(parts: Sequence[Any]) -> Caption:
    name, keywords, language = parts
    return Caption(str(name), tuple(map(str, keywords)), str(language))
