"""Images with captions: what is trained on, and what is held out to judge it.

Files that are equal byte for byte are one image, of which all is said that is said of any of them.
Images stay together that are of one group, or of which one is called just as another is in the same
language: what is held out was seen neither as a figure nor as a name.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b, sha256
from pathlib import Path
from typing import assert_never

import numpy as np
from numpy.typing import NDArray

from dragoman.config.captions import CaptionCorpus, CaptionSettings, EmojiCorpus
from dragoman.core.errors import DataError
from dragoman.data.corpus.catalogue.entries import find_entry
from dragoman.data.corpus.catalogue.store import present
from dragoman.data.formats.captioned import Caption, CaptionRow, read_captioned
from dragoman.data.formats.findings import Findings
from dragoman.data.formats.framing import Framing
from dragoman.data.formats.image_files import read_image
from dragoman.data.formats.prefetch import in_order

SETS = ("train", "valid", "test")
NAMED = 3
"""Files that are named where several have the same trouble."""

Bytes = NDArray[np.uint8]


@dataclass(frozen=True)
class CaptionedImage:
    """An image file, and all that is said of it."""

    path: Path
    captions: tuple[Caption, ...]
    digest: str = ""
    groups: frozenset[str] = frozenset()

    @property
    def ties(self) -> set[tuple[str, ...]]:
        """The features it shares with the images that it stays together with."""
        names = {("name", one.language, one.name.casefold()) for one in self.captions}
        return {("image", self.digest), *(("group", group) for group in self.groups), *names}


@dataclass
class CaptionedImages:
    """The images of a corpus, in three sets, decoded as they are read."""

    sets: dict[str, list[CaptionedImage]]
    settings: CaptionCorpus
    seed: int
    files: tuple[Path, ...]
    findings: list[str] = field(default_factory=list)
    framing: Framing | None = None
    """How they are brought to their size, where that is not for the settings to say."""

    @property
    def size(self) -> int:
        """Images in all sets."""
        return sum(map(len, self.sets.values()))

    def read(self, name: str) -> Iterator[tuple[Bytes, CaptionedImage]]:
        """Yield the images of a set; those that cannot be decoded are left out, or refused."""
        broken = []
        for one, result in in_order(self.sets[name], self._decode):
            try:
                image = result()
            except DataError as error:
                if not self.settings.repair:
                    raise
                broken.append(str(error))
                continue
            yield image, one
        if broken:
            told = "; ".join(broken[:NAMED])
            self.findings.append(f"{len(broken):,} images are left out: {told}")

    def _decode(self, one: CaptionedImage) -> Bytes:
        chosen = self.settings
        channels, fit = 3 if chosen.colors else 1, self.framing or chosen.fit
        return read_image(one.path, size=chosen.size, channels=channels, fit=fit)


def open_captions(settings: CaptionSettings, seed: int) -> CaptionedImages:
    """Read tables and split their images; the same settings and seed give the same sets.

    A seed in the settings comes before the given one, which is the recipe's.
    """
    chosen = seed if settings.seed is None else settings.seed
    match settings:
        case CaptionCorpus():
            return _open_tables(settings, chosen)
        case EmojiCorpus():
            return _open_tables(_emoji_tables(settings), chosen)
        case _:
            assert_never(settings)


def _emoji_tables(settings: EmojiCorpus) -> CaptionCorpus:
    found = present(find_entry("emoji"))
    if not found:
        raise DataError("emoji: is not on this machine. Fetch it: dragoman data get emoji")
    endings = ("", "-tones") if settings.skin_tones else ("",)
    names = [f"{language}{ending}.tsv" for language in settings.languages for ending in endings]
    return CaptionCorpus(
        train=tuple(found[0].path / name for name in names),
        size=settings.size,
        held_out=settings.held_out,
    )


def read_images(
    settings: CaptionCorpus, files: Sequence[Path], findings: Findings
) -> list[CaptionedImage]:
    """Read tables; all that is said of one image, in whatever line, is put together."""
    digests: dict[Path, str] = {}
    rows: dict[str, list[CaptionRow]] = {}
    for path in files:
        for number, row in read_captioned(path, repair=settings.repair, findings=findings):
            if row.image not in digests:
                digests[row.image] = _digest(row.image, f"{path}:{number}")
            rows.setdefault(digests[row.image], []).append(row)
    return [
        CaptionedImage(
            path=said[0].image,
            captions=tuple(dict.fromkeys(row.caption for row in said)),
            digest=digest,
            groups=frozenset(row.group for row in said if row.group),
        )
        for digest, said in rows.items()
    ]


def _digest(path: Path, place: str) -> str:
    try:
        return sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise DataError(
            f"{place}: the image {path} cannot be read ({error.strerror or error}). "
            "A path is relative to its table."
        ) from None


def _open_tables(settings: CaptionCorpus, seed: int) -> CaptionedImages:
    findings = Findings()
    given = {name: getattr(settings, name) for name in SETS}
    sets = {name: read_images(settings, files, findings) for name, files in given.items() if files}
    told: list[str] = []
    for name in reversed(SETS):
        if name != "train" and name in sets:
            told += _take_out_leaks(sets, name)
    wanted = [name for name in SETS if name not in sets]
    sets |= hold_out(sets["train"], wanted, settings.held_out, seed)
    for name in SETS:
        if len(sets[name]) < 2:
            raise DataError(
                f"{settings.train[0]}: leaves {len(sets[name])} images for the {name} set, and "
                f"two are needed to be told apart. Give more, or a table as corpus.{name}."
            )
    files = tuple(dict.fromkeys(file for part in given.values() for file in part or ()))
    lines = [*findings.lines(), *told, *_words(sets)]
    return CaptionedImages(sets, settings, seed, files, lines)


def hold_out(
    images: Sequence[CaptionedImage], wanted: Sequence[str], share: float, seed: int
) -> dict[str, list[CaptionedImage]]:
    """Deal images out into training and each of the wanted sets, those that are tied together.

    Which ones go depends on the seed and on the files' content, not on their order.
    """
    key = seed.to_bytes(16, "little", signed=True)
    together = sorted(
        tied(images),
        key=lambda places: blake2b(
            min(images[place].digest for place in places).encode(), key=key
        ).digest(),
    )
    most = round(share * len(images))
    dealt: dict[str, list[int]] = {name: [] for name in wanted}
    left: list[int] = []
    for places in together:
        name = next((name for name in wanted if len(dealt[name]) + len(places) <= most), None)
        (left if name is None else dealt[name]).extend(places)
    sets = {"train": left, **dealt}
    return {name: [images[place] for place in sorted(places)] for name, places in sets.items()}


def tied(images: Sequence[CaptionedImage]) -> list[list[int]]:
    """Return the places of images that stay together, those of each bundle in their order."""
    leader = list(range(len(images)))

    def follow(place: int) -> int:
        while leader[place] != place:
            leader[place] = leader[leader[place]]
            place = leader[place]
        return place

    first: dict[tuple[str, ...], int] = {}
    for place, one in enumerate(images):
        for tie in one.ties:
            leader[follow(place)] = follow(first.setdefault(tie, place))
    bundles: dict[int, list[int]] = {}
    for place in range(len(images)):
        bundles.setdefault(follow(place), []).append(place)
    return list(bundles.values())


def _take_out_leaks(sets: dict[str, list[CaptionedImage]], tested: str) -> list[str]:
    """Take out of the earlier sets what is tied to a set that has a table of its own."""
    known = {tie for one in sets[tested] for tie in one.ties}
    told = []
    for name in SETS[: SETS.index(tested)]:
        before = sets.get(name, [])
        kept = [one for one in before if known.isdisjoint(one.ties)]
        if name in sets and len(kept) < len(before):
            sets[name] = kept
            count = len(before) - len(kept)
            told.append(f"{count:,} images dropped from {name}: like others of {tested}")
    return told


def _words(sets: Mapping[str, Sequence[CaptionedImage]]) -> list[str]:
    """Say how much is said of the images, in which languages."""
    every = [one for images in sets.values() for one in images]
    languages = sorted({caption.language for one in every for caption in one.captions})
    count = sum(len(one.captions) for one in every)
    spoken = f" in {', '.join(filter(None, languages))}" if any(languages) else ""
    return [f"{len(every):,} different images with {count:,} captions{spoken}"]
