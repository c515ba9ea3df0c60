"""A recipe for a corpus on this machine, as a commented file."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from dragoman.config.corpus import FilesCorpus
from dragoman.config.reading import recipe_from_tree
from dragoman.config.recipe import Recipe
from dragoman.config.writing import toml_value
from dragoman.core.duration import written
from dragoman.core.errors import DataError
from dragoman.data.corpus.corpus import open_corpus
from dragoman.data.corpus.doctor.language import recognize
from dragoman.data.corpus.part import read_files
from dragoman.data.formats.findings import Findings
from dragoman.data.formats.pair import Pair
from dragoman.planner.choose import RecipeChoice, choose, with_length
from dragoman.planner.count.report import memory
from dragoman.planner.facts import CorpusFacts, gather, sample
from dragoman.planner.measure import Speed, measure, resident

MEASURED_FOR = 6.0
"""Seconds of trial steps: the mean of a few dozen, known to a few per cent."""


@dataclass(frozen=True)
class NewRecipe:
    """The recipe that was chosen, the file it makes, and what it rests on."""

    recipe: Recipe
    text: str
    facts: CorpusFacts
    speed: Speed


def new(
    name: str,
    corpus: FilesCorpus,
    seconds: float,
    *,
    threads: int = 0,
    seed: int = 1,
    folder: Path = Path(),
    exportable: bool = False,
) -> NewRecipe:
    """Choose a recipe for a corpus and a time; `folder` is where its file will stand.

    What is `exportable` has only settings that CTranslate2 and transformers can hold.
    """
    opened = open_corpus(corpus.model_copy(update={"both_ways": False}), seed)
    pairs = sample(opened)
    corpus = _with_languages(corpus, pairs)
    if corpus.both_ways:
        opened = open_corpus(corpus, seed)
        pairs = sample(opened)
    facts = gather(opened, pairs, seconds, threads)
    begun = choose(facts, threads, exportable=exportable)
    speed = measure(begun.recipe(name, corpus), MEASURED_FOR, opened)
    chosen = with_length(begun, facts, speed)
    recipe = chosen.recipe(name, corpus)
    return NewRecipe(recipe, _text(recipe, chosen, facts, speed, folder), facts, speed)


def corpus_of_files(tree: Mapping[str, object]) -> FilesCorpus:
    """Make plain values the settings of a corpus of files, all their rules checked."""
    found = recipe_from_tree({"name": "new", "corpus": dict(tree)}, "dragoman new").corpus
    if not isinstance(found, FilesCorpus):
        raise TypeError("files were given, and something else came out")
    return found


def recipe_name(text: str) -> str:
    """Make a name that a run's folder may have."""
    plain = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "-" for c in text)
    return plain.strip("-_") or "translator"


def _with_languages(corpus: FilesCorpus, pairs: list[Pair]) -> FilesCorpus:
    """Fill in the languages that nobody named, where they can be recognised.

    A file that names its languages itself may spell or know them otherwise: then its word counts.
    """
    named = corpus.model_fields_set
    found = dict(zip(("source_language", "target_language"), recognize(pairs), strict=True))
    missing = {key: code for key, code in found.items() if key not in named and code}
    filled = corpus.model_copy(update=missing)
    if filled.source_language == filled.target_language:
        return corpus
    try:
        next(read_files(filled, filled.train, Findings()), None)
    except DataError:
        return corpus
    return filled


def _text(
    recipe: Recipe, chosen: RecipeChoice, facts: CorpusFacts, speed: Speed, folder: Path
) -> str:
    lines = [
        f"# {facts.pairs:,} pairs to train on, {written(facts.seconds)} on {facts.cores} "
        f"core{'s' if facts.cores > 1 else ''}: written by `dragoman new`.",
        f"# {speed.parameters:,} weights; a step took {speed.seconds:.3f} s when this was written.",
        f"# Memory of training: about {memory(resident(speed))} at its highest, with the program.",
        "# Every other setting has its default; `dragoman show FILE` prints them all.",
        f"name = {toml_value(recipe.name)}",
        f"seed = {recipe.seed}",
        "",
        "[corpus]",
        *_corpus(recipe.corpus, folder),
    ]
    for section, values in chosen.tree.items():
        lines += ["", f"[{section}]"]
        for key, value in values.items():
            lines += [f"# {line}" for line in chosen.reasons[f"{section}.{key}"].splitlines()]
            lines.append(f"{key} = {toml_value(value)}")
    return "\n".join(lines) + "\n"


def _corpus(corpus: object, folder: Path) -> Iterator[str]:
    if not isinstance(corpus, FilesCorpus):
        raise TypeError("only files have a recipe to be chosen")
    for key in FilesCorpus.model_fields:
        value = getattr(corpus, key)
        if key not in corpus.model_fields_set or value is None:
            continue
        if isinstance(value, tuple):
            value = [_from(folder, Path(item)) for item in value]
        yield f"{key} = {toml_value(value)}"


def _from(folder: Path, file: Path) -> str:
    """Return a path as a recipe in the folder has to name it: relative where both go together."""
    here, there = folder.absolute().resolve(), file.absolute().resolve()
    return str(there.relative_to(here)) if there.is_relative_to(here) else str(there)
