"""The stutter guard of a run: what its training targets double, counted once and kept.

A folder that was moved without its training tokens, and has no doubles.json, has no guard: without
them nobody knows what its language doubles.
"""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import torch

from dragoman.core.bounded_read import read_bounded
from dragoman.core.checksums import check_seal, seal
from dragoman.core.errors import WriteError
from dragoman.core.files import write_atomic
from dragoman.data.batching.arrays import has_store
from dragoman.data.batching.doubles import Doubles, TokenSounds, count_doubles
from dragoman.data.batching.store import TokenStore
from dragoman.data.tokenizer.pair import TokenizerPair
from dragoman.data.tokenizer.special_tokens import SPACE
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.neural.decoding.echo import WordEchoes
from dragoman.neural.decoding.stutter import Sounds, StutterGuard

FORMAT, VERSION = "dragoman-doubles", 1
DOUBLES = "doubles.json"
LARGEST_FILE = 64 * 1024 * 1024

SHARE = 0.01
"""Of all times that a phrase comes in the training targets, it stands twice in a row so often, at
the least, if the language doubles it."""


def stutter_guard_of(folder: Path, tokenizer: TokenizerPair) -> StutterGuard | None:
    """Return the guard of a run or an export; None where nothing is known of its training."""
    doubles = doubles_of(folder, tokenizer)
    return None if doubles is None else make_guard(tokenizer, doubles)


def doubles_of(folder: Path, tokenizer: TokenizerPair) -> Doubles | None:
    """Return what the training targets double, counted out if need be."""
    stored = _read(folder / DOUBLES)
    if stored is not None:
        return stored
    data = RunFolder(folder).data
    if not has_store(data, "train"):
        return None
    doubles = count_doubles(TokenStore.open(data, "train"), tokenizer.target)
    with suppress(WriteError):  # a folder that cannot be written is counted out each time
        write_doubles(folder / DOUBLES, doubles)
    return doubles


def write_doubles(path: Path, doubles: Doubles) -> None:
    """Keep what was counted."""
    record = {
        "format": FORMAT,
        "version": VERSION,
        "phrases": doubles.phrases,
        "stretches": sorted(doubles.stretches),
    }
    write_atomic(path, json.dumps(seal(record), ensure_ascii=False, indent=0) + "\n")


def make_guard(tokenizer: TokenizerPair, doubles: Doubles, share: float = SHARE) -> StutterGuard:
    """Return the guard that lets stand what is doubled often enough."""
    source, target = (TokenSounds.of(side) for side in (tokenizer.source, tokenizer.target))
    numbers = {name: number for number, name in enumerate(target.names)}
    licensed = {
        tuple(numbers.get(sound, -1) for sound in phrase.split(" "))
        for phrase, (twice, whole) in doubles.phrases.items()
        if twice >= share * whole
    }
    first, again = (
        [target.names[sound] if sound >= 0 else "" for sound in side.tolist()]
        for side in (target.first, target.again)
    )
    echoes = WordEchoes(first, again, SPACE, doubles.stretches)
    return StutterGuard(_sounds(source), _sounds(target), echoes, licensed)


def _sounds(of: TokenSounds) -> Sounds:
    return Sounds(*(torch.from_numpy(part) for part in (of.first, of.again, of.letters)))


def _read(path: Path) -> Doubles | None:
    """Return what was counted before; a file that cannot be trusted is counted out again."""
    try:
        record: Any = json.loads(read_bounded(path, LARGEST_FILE))
        check_seal(record)
        if (record["format"], record["version"]) != (FORMAT, VERSION):
            return None
        phrases = {
            str(phrase): (int(twice), int(whole))
            for phrase, (twice, whole) in record["phrases"].items()
        }
        return Doubles(phrases, frozenset(str(letters) for letters in record["stretches"]))
    except (OSError, ValueError, RecursionError, LookupError, TypeError, AttributeError):
        return None
