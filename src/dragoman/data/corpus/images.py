"""Images with a class each: read, held out by class, and decoded in their order."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import assert_never

import numpy as np
from numpy.typing import NDArray

from dragoman.config.images import ImageArrays, ImageCorpus, ImageFolders, Shapes
from dragoman.core.errors import DataError
from dragoman.data.corpus.catalogue.entries import find_entry
from dragoman.data.corpus.catalogue.store import present
from dragoman.data.corpus.generators.shape_words import SHAPES
from dragoman.data.corpus.generators.shapes import draw_shapes
from dragoman.data.formats.framing import Fit
from dragoman.data.formats.image_files import is_image_name, read_image
from dragoman.data.formats.prefetch import in_order

Image = tuple[NDArray[np.uint8], int]
"""Pixels (h w c), and the number of the class."""

SETS = ("train", "valid", "test")
NAMED = 3
"""Files that are named where several have the same trouble."""


@dataclass
class Images:
    """The images of a corpus, in three sets."""

    classes: tuple[str, ...]
    """Names; a class's number is its turn."""

    sizes: dict[str, int]
    """How many images there are in each set, as far as they can be read."""

    read: Callable[[str], Iterator[Image]]
    """Gives the images of a set."""

    seed: int = 0
    fit: Fit = "crop"
    findings: list[str] = field(default_factory=list)
    files: tuple[Path, ...] = ()
    """Where they came from, as far as that is a few files."""


def open_images(settings: ImageCorpus, seed: int) -> Images:
    """Open a corpus of images; the recipe's seed holds out where the corpus has none of its own."""
    chosen = seed if settings.seed is None else settings.seed
    match settings:
        case ImageFolders():
            return _open_folders(settings, chosen)
        case ImageArrays():
            return _open_arrays(settings, chosen)
        case Shapes():
            return _open_shapes(settings, chosen)
        case _:
            assert_never(settings)


def hold_out(
    classes: NDArray[np.int64], share: float, seed: int, sets: int
) -> list[NDArray[np.int64]]:
    """Deal places out into the first set and `sets` others, which have a share of each class each.

    At least one image of each class is held out for each set, unless none would be left.
    """
    random = np.random.Generator(np.random.Philox(np.random.SeedSequence([seed, len(classes)])))
    dealt: list[list[NDArray[np.int64]]] = [[] for _ in range(sets + 1)]
    for number in np.unique(classes):
        members = random.permutation(np.flatnonzero(classes == number))
        count = min((len(members) - 1) // max(1, sets), max(1, round(len(members) * share)))
        for turn in range(sets):
            dealt[turn + 1].append(members[turn * count : (turn + 1) * count])
        dealt[0].append(members[sets * count :])
    return [np.sort(np.concatenate(parts)) for parts in dealt]


@dataclass(frozen=True)
class _File:
    path: Path
    number: int


def _open_folders(settings: ImageFolders, seed: int) -> Images:
    findings: list[str] = []
    given = {name: getattr(settings, name) for name in SETS}
    names = class_names(given["train"])
    files = {
        name: _list_files(folders, names, findings) for name, folders in given.items() if folders
    }
    files = _without_copies(files, findings)
    missing = [name for name in SETS if name not in files]
    if missing:
        numbers = np.array([file.number for file in files["train"]], dtype=np.int64)
        dealt = hold_out(numbers, settings.held_out, seed, len(missing))
        whole = files["train"]
        for name, places in zip(("train", *missing), dealt, strict=True):
            files[name] = [whole[place] for place in places]
    for name in SETS:
        if not files[name]:
            raise DataError(
                f"{settings.train[0]}: leaves no image for the {name} set. Give it more images, "
                f"or a folder of its own as corpus.{name}."
            )

    def read(name: str) -> Iterator[Image]:
        return _decoded(files[name], settings, findings)

    sizes = {name: len(found) for name, found in files.items()}
    return Images(tuple(names), sizes, read, seed, settings.fit, findings)


def class_names(folders: Sequence[Path]) -> list[str]:
    """Return the names of the folders inside, each of which is a class."""
    found: set[str] = set()
    for folder in folders:
        if not folder.is_dir():
            raise DataError(
                f"{folder}: there is no such folder. It should hold one for each class."
            )
        found |= {p.name for p in folder.iterdir() if p.is_dir() and not p.name.startswith(".")}
    if len(found) < 2:
        raise DataError(
            f"{folders[0]}: holds {len(found)} folders, and a class is a folder: there must be two "
            "at least, each with its pictures."
        )
    return sorted(found)


def _list_files(folders: Sequence[Path], names: Sequence[str], findings: list[str]) -> list[_File]:
    """List the images of each class, in the order of their names."""
    numbers = {name: number for number, name in enumerate(names)}
    found: list[_File] = []
    others = 0
    for folder in folders:
        unknown = sorted(set(class_names([folder])) - set(names))
        if unknown:
            raise DataError(f"{folder / unknown[0]}: is a class that is not trained on.")
        for name in names:
            inside = sorted(p for p in (folder / name).rglob("*") if p.is_file())
            image_files = [p for p in inside if is_image_name(p) and not p.name.startswith(".")]
            others += len(inside) - len(image_files)
            found += [_File(path, numbers[name]) for path in image_files]
    if others:
        findings.append(f"{others:,} files in {folders[0]} are no pictures by their name: left out")
    return found


def _without_copies(files: dict[str, list[_File]], findings: list[str]) -> dict[str, list[_File]]:
    """Leave out what is there twice; of two sets that share an image, the tested one keeps it."""
    seen: dict[bytes, _File] = {}
    kept: dict[str, list[_File]] = {}
    copies, disputed = 0, []
    for name in reversed(SETS):
        kept[name] = []
        for file in files.get(name, []):
            digest = sha256(file.path.read_bytes()).digest()
            first = seen.setdefault(digest, file)
            if first is file:
                kept[name].append(file)
            else:
                copies += 1
                disputed += [file.path] if first.number != file.number else []
    if copies:
        findings.append(f"{copies:,} pictures are copies of others, byte for byte: left out")
    if disputed:
        shown = ", ".join(str(path) for path in disputed[:NAMED])
        findings.append(f"{len(disputed):,} of these copies had another class: {shown}")
    return {name: kept[name] for name in SETS if name in files}


def _decoded(
    files: Iterable[_File], settings: ImageFolders, findings: list[str]
) -> Iterator[Image]:
    """Decode images; those that cannot be are left out and told, or refused."""
    channels, broken = 3 if settings.colors else 1, []

    def decode(file: _File) -> NDArray[np.uint8]:
        return read_image(file.path, size=settings.size, channels=channels, fit=settings.fit)

    for file, result in in_order(files, decode):
        try:
            image = result()
        except DataError as error:
            if not settings.repair:
                raise
            broken.append(str(error))
            continue
        yield image, file.number
    if broken:
        told = "; ".join(broken[:NAMED])
        findings.append(f"{len(broken):,} files could not be read and were left out: {told}")


def _open_arrays(settings: ImageArrays, seed: int) -> Images:
    folder = _fetched(settings.name)
    classes = json.loads((folder / "classes.json").read_text(encoding="utf-8"))
    arrays = {part: _array(folder, part) for part in ("train", "test")}
    numbers = arrays["train"][1]
    if settings.max_images and settings.max_images < len(numbers):
        random = np.random.Generator(np.random.Philox(np.random.SeedSequence([seed])))
        taken = np.sort(random.permutation(len(numbers))[: settings.max_images])
    else:
        taken = np.arange(len(numbers))
    train, valid = (taken[p] for p in hold_out(numbers[taken], settings.held_out, seed, 1))
    places = {"train": train, "valid": valid, "test": np.arange(len(arrays["test"][1]))}

    def read(name: str) -> Iterator[Image]:
        images, own = arrays["test" if name == "test" else "train"]
        for place in places[name]:
            yield images[place], int(own[place])

    sizes = {name: len(found) for name, found in places.items()}
    return Images(tuple(classes), sizes, read, seed)


def _fetched(name: str) -> Path:
    found = present(find_entry(name))
    if not found:
        raise DataError(f"{name}: is not on this machine. Fetch it: dragoman data get {name}")
    return found[0].path


def _array(folder: Path, part: str) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    images = np.load(folder / f"{part}-images.npy", mmap_mode="r")
    classes = np.load(folder / f"{part}-classes.npy").astype(np.int64)
    return images, classes


def _open_shapes(settings: Shapes, seed: int) -> Images:
    sizes = {"train": settings.images, "valid": settings.held_out, "test": settings.held_out}
    drawn = draw_shapes(sum(sizes.values()), settings.size, seed)
    ends = np.cumsum([*sizes.values()])
    places = dict(zip(SETS, np.split(np.arange(ends[-1]), ends[:-1]), strict=True))

    def read(name: str) -> Iterator[Image]:
        for place in places[name]:
            yield drawn.images[place], SHAPES.index(drawn.classes[place])

    return Images(SHAPES, sizes, read, seed)


def read_folders(
    folders: Sequence[Path], classes: Sequence[str], size: int, channels: int, fit: Fit
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Read all images of known classes at once; one that cannot be read is refused."""
    findings: list[str] = []
    files = _list_files(folders, classes, findings)
    if not files:
        raise DataError(f"{folders[0]}: holds no pictures in folders of the names of classes.")

    def decode(file: _File) -> NDArray[np.uint8]:
        return read_image(file.path, size=size, channels=channels, fit=fit)

    images = [result() for _, result in in_order(files, decode)]
    return np.stack(images), np.array([one.number for one in files], dtype=np.int64)
