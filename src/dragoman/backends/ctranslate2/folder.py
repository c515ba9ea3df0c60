"""The folder of an exported run: what CTranslate2 reads, and what a translator needs besides.

model.bin, config.json, *_vocabulary.json   the network, as CTranslate2 keeps it
tokenizer.json, recipe.toml                 text to numbers and how to search, as in the run
doubles.json                                what the training targets say twice in a row
sentencepiece.model                         the same subwords for other programs (byte pairs only)
dragoman.json                               where it is from, and a checksum of each of these
proof.json                                  how its translations compare with the run's
"""

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from dragoman.backends.ctranslate2.library import ctranslate2
from dragoman.backends.ctranslate2.limits import holdable
from dragoman.backends.ctranslate2.spec import spec_of
from dragoman.backends.stutter_guard import DOUBLES, doubles_of, write_doubles
from dragoman.config.reading import read_recipe
from dragoman.config.recipe import Recipe
from dragoman.core.bounded_read import read_bounded
from dragoman.core.console import say
from dragoman.core.errors import ConfigError, DataError, RunError
from dragoman.core.files import new_folder, sha256
from dragoman.data.tokenizer.bpe import BpeTokenizer
from dragoman.data.tokenizer.pair import TokenizerPair
from dragoman.data.tokenizer.sentencepiece import to_sentencepiece
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.engine.checkpoint.network import LoadedNetwork, load_translation
from dragoman.neural.decoding.search import longest_lengths
from dragoman.neural.models.transformer import Transformer

FACTS, MODEL = "dragoman.json", "model.bin"
LARGEST_FACTS = 1024 * 1024
LARGEST_VOCABULARY = 16 * 1024 * 1024
LEAST_ROOM = 1024
"""Positions that a model has at least: as many as CTranslate2 reads unless it is told otherwise."""

MOST_ROOM = 16_384
"""Positions that are written for outputs at most; longer ones are cut."""

Quantization = Literal[
    "float32", "float16", "bfloat16", "int16", "int8", "int8_float16", "int8_bfloat16"
]
Checksum = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class ExportFacts(BaseModel):
    """The facts of an exported model."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    format: Literal["dragoman-ctranslate2"] = "dragoman-ctranslate2"
    version: Literal[1] = 1
    quantization: Quantization
    averaged: str | None = None
    """The steps whose weights were averaged for it."""
    longest_source: int = Field(ge=1)
    """Tokens of the longest source that it was trained on, END included."""
    room: int = Field(ge=1)
    """Positions that it has, for sources and for targets."""
    made_from: dict[str, Checksum]
    """Files of the run, as they were."""
    files: dict[str, Checksum]


@dataclass(frozen=True)
class Network(LoadedNetwork):
    """A network that CTranslate2 can hold."""

    model: Transformer

    @property
    def room(self) -> int:
        """Positions that its translations may need."""
        settings = self.model.settings
        if settings.positions == "learned":
            return settings.max_positions
        needed = int(longest_lengths([self.longest_source], self.recipe.decoding)[0])
        return max(LEAST_ROOM, self.longest_source, min(needed, MOST_ROOM))


@dataclass(frozen=True)
class ExportedModel:
    """An exported model, as it was found on disk."""

    path: Path
    facts: ExportFacts
    recipe: Recipe
    tokenizer: TokenizerPair


def load_network(run: RunFolder, *, average: bool = False) -> Network:
    """Load the network of a run, if CTranslate2 can hold it."""
    holdable(read_recipe(run.recipe), TokenizerPair.load(run.tokenizer), run.path)
    found = load_translation(run, average=average)
    if not isinstance(found.model, Transformer):
        raise ConfigError(f"{run.path}: is no Transformer.")
    parts = (found.recipe, found.tokenizer, found.model, found.longest_source, found.averaged)
    return Network(*parts)


def write_model(network: Network, folder: Path, quantization: Quantization) -> None:
    """Write what CTranslate2 itself reads into a folder that is there."""
    ctranslate2()
    spec = spec_of(network.model, network.room)
    spec.register_source_vocabulary(network.tokenizer.source.pieces)
    spec.register_target_vocabulary(network.tokenizer.target.pieces)
    spec.validate()
    spec.optimize(quantization=quantization)
    spec.save(str(folder))


def write_sentencepiece(tokenizer: TokenizerPair, folder: Path) -> None:
    """Write the subwords of each side for other programs, where they are byte pairs."""
    sides = {"sentencepiece.model": tokenizer.source}
    if not tokenizer.shared:
        sides = {
            "source.sentencepiece.model": tokenizer.source,
            "target.sentencepiece.model": tokenizer.target,
        }
    for name, side in sides.items():
        if isinstance(side, BpeTokenizer):
            (folder / name).write_bytes(to_sentencepiece(side))


def write_folder(
    run: RunFolder, network: Network, folder: Path, quantization: Quantization
) -> None:
    """Write all of an export but its proof into a folder that is there."""
    write_model(network, folder, quantization)
    write_sentencepiece(network.tokenizer, folder)
    for file in (run.recipe, run.tokenizer):
        shutil.copyfile(file, folder / file.name)
    doubles = doubles_of(run.path, network.tokenizer)
    if doubles is not None:
        write_doubles(folder / DOUBLES, doubles)
    facts = ExportFacts(
        quantization=quantization,
        averaged=network.averaged,
        longest_source=network.longest_source,
        room=network.room,
        made_from=_sources(run),
        files={file.name: sha256(file) for file in sorted(folder.iterdir())},
    )
    (folder / FACTS).write_text(facts.model_dump_json(indent=1) + "\n", encoding="utf-8")


def read_folder(path: Path) -> ExportedModel:
    """Read an export; one that is damaged or made to do harm gives an error of one line."""
    facts = _facts(path)
    for name, wanted in facts.files.items():
        if Path(name).name != name or not (path / name).is_file():
            raise RunError(f"{path}: its {name!r} is missing. Export the run again.")
        if sha256(path / name) != wanted:
            raise DataError(
                f"{path / name}: does not fit its checksum; it is damaged. Export the run again."
            )
    if missing := {MODEL, "recipe.toml", "tokenizer.json"} - facts.files.keys():
        raise RunError(f"{path}: {FACTS} does not list {sorted(missing)}. Export the run again.")
    recipe, tokenizer = (
        read_recipe(path / "recipe.toml"),
        TokenizerPair.load(path / "tokenizer.json"),
    )
    holdable(recipe, tokenizer, path)
    _check_vocabularies(path, tokenizer)
    return ExportedModel(path, facts, recipe, tokenizer)


def is_export(path: Path) -> bool:
    """Whether a folder says that it is an exported model."""
    return (path / FACTS).is_file()


def exported_beside(run: RunFolder, quantization: Quantization) -> Path:
    """Return the export in a run's own folder, made anew where the run has changed since."""
    folder = run.path / f"ctranslate2-{quantization}"
    if folder.exists():
        if _is_of(folder, run):
            return folder
        shutil.rmtree(folder)
    network = load_network(run)
    with new_folder(folder) as beside:
        write_folder(run, network, beside, quantization)
    say(f"exported for CTranslate2 ({quantization}) into {folder}")
    return folder


def _is_of(folder: Path, run: RunFolder) -> bool:
    try:
        return read_folder(folder).facts.made_from == _sources(run)
    except (RunError, DataError, ConfigError):
        return False


def _sources(run: RunFolder) -> dict[str, str]:
    return {file.name: sha256(file) for file in (run.model, run.recipe, run.tokenizer)}


def _facts(path: Path) -> ExportFacts:
    file = path / FACTS
    if not path.is_dir():
        raise RunError(f"{path}: there is no such folder.")
    if not file.is_file():
        raise RunError(
            f"{path}: has no {FACTS}, so it was not exported by Dragoman. "
            "Write one with `dragoman export RUN DIR --to ctranslate2`."
        )
    try:
        return ExportFacts.model_validate_json(read_bounded(file, LARGEST_FACTS))
    except ValidationError as error:
        first = error.errors()[0]
        told = f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}".lstrip(": ")
        raise DataError(f"{file}: cannot be read ({told}). Export the run again.") from None
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(f"{file}: cannot be read ({error}). Export the run again.") from None


def _check_vocabularies(path: Path, tokenizer: TokenizerPair) -> None:
    """Compare CTranslate2's names of the tokens with ours."""
    shared = path / "shared_vocabulary.json"
    for side, words in (("source", tokenizer.source), ("target", tokenizer.target)):
        own = path / f"{side}_vocabulary.json"
        file = shared if shared.is_file() else own
        try:
            entries: Any = json.loads(read_bounded(file, LARGEST_VOCABULARY))
        except (OSError, ValueError, RecursionError) as error:
            raise DataError(f"{file}: cannot be read ({error}). Export the run again.") from None
        if entries != words.pieces:
            raise DataError(f"{file}: has other entries than tokenizer.json. Export again.")
