"""From a run to a folder that transformers reads; what was written is read back and compared."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from dragoman.config.clip import ClipSettings
from dragoman.config.corpus import ImportedCorpus
from dragoman.config.decoder_only import DecoderOnlySettings
from dragoman.config.encoder import EncoderSettings
from dragoman.config.model import AnyModel
from dragoman.config.reading import read_recipe
from dragoman.config.recipe import Recipe
from dragoman.config.transformer import TransformerSettings
from dragoman.core.errors import ConfigError, RunError
from dragoman.core.files import new_folder
from dragoman.data.tokenizer.pair import TokenizerPair
from dragoman.data.tokenizer.tokenizer import Tokenizer
from dragoman.engine.checkpoint.folder import trained_run
from dragoman.engine.checkpoint.tensor_file import write_tensors
from dragoman.engine.checkpoint.weight_averaging import weights_to_use
from dragoman.interop.families.catalogue import FAMILIES
from dragoman.interop.families.family import ModelFamily, NetworkSettings
from dragoman.interop.foreign import BUILT_IN, SETTINGS_FILE, chosen_or_built_in
from dragoman.interop.generation import GENERATION_FILE, generation_of
from dragoman.interop.halves import in_halves
from dragoman.interop.network import Tensors, give, take
from dragoman.interop.tensor_source import WEIGHTS, TensorSource
from dragoman.interop.tokenizer_files import write_json, write_tokenizer
from dragoman.neural.decoding.search import longest_lengths

TRAINING_ONLY = frozenset(
    ("dropout", "attention_dropout", "ffn_dropout", "word_dropout", "initialization", "loss_on")
)
"""Keys that change how a network learns, but not what it computes."""

ONLY_WITH = {
    "max_positions": ("learned",),
    "max_relative_position": ("relative", "shaw"),
    "buckets": ("t5",),
    "max_bucket_distance": ("t5",),
    "rotary_base": ("rotary",),
}
"""Keys that matter only with some kinds of positions."""

MOST_POSITIONS = 16_384
"""Tokens of the longest output that is made room for."""

CLOSE = 1e-5


class TensorsToWrite(TensorSource):
    """Tensors that are about to be written."""

    def __init__(self, where: Path, tensors: Tensors) -> None:
        self.where = where
        self.tensors = tensors

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of each tensor."""
        return {name: tuple(tensor.shape) for name, tensor in self.tensors.items()}

    def tensor(self, name: str) -> Tensor:
        """Return a tensor."""
        return self.tensors[name]

    def checksums(self) -> dict[str, str]:
        """Return nothing: there is no file yet."""
        return {}


def export_huggingface(
    run: Path, folder: Path, *, average: bool = False, check: Callable[[Path], None] | None = None
) -> tuple[str, bool]:
    """Write a run for transformers; return the class that reads it, and if its tokenizer went too.

    A tokenizer that has no counterpart there stays here. With `check` the folder is looked at
    before it gets its name; an error there leaves nothing behind.
    """
    if folder.exists():
        raise RunError(f"{folder}: is there already. Name another folder.")
    source = trained_run(run)
    recipe = read_recipe(source.recipe)
    settings = exchangeable(recipe.model, run)
    tokenizer = TokenizerPair.load(source.tokenizer)
    words = tokenizer.target
    stored = weights_to_use(source, average=average)
    ours, longest = stored.tensors, _longest(recipe, stored.notes)
    writes = isinstance(settings, TransformerSettings) and recipe.task.kind == "translation"
    if isinstance(settings, TransformerSettings):
        settings, ours = in_halves(settings, ours)
        if settings.positions != "learned":
            room = max(settings.max_positions, longest)
            settings = settings.model_copy(update={"max_positions": room})
    family = family_of_run(recipe, settings, run)
    two = None if tokenizer.numbered_alike else words.size
    values, given = to_their_format(
        family, settings, tokenizer.source.size, ours, run, words.pad, two
    )
    values |= _numbers(words, writes=writes)
    with new_folder(folder) as beside:
        write_json(beside / SETTINGS_FILE, values)
        if writes:
            write_json(beside / GENERATION_FILE, generation_of(recipe.decoding, longest))
        write_tensors(given, beside / WEIGHTS, metadata={"format": "pt"})
        with_tokenizer = write_tokenizer(beside, tokenizer, recipe)
        if check is not None:
            check(beside)
    return str(values["architectures"][0]), with_tokenizer


def to_their_format(
    family: ModelFamily,
    settings: NetworkSettings,
    words: int,
    ours: Tensors,
    where: Path,
    padding: int | None = None,
    target_words: int | None = None,
) -> tuple[dict[str, Any], Tensors]:
    """Return the settings file and the tensors of a network, after reading them back.

    `target_words` are the entries of the target's vocabulary, where it is another.
    """
    values = family.values(settings, words, padding)
    if values is None:
        raise ConfigError(f"{where}: is no {family.kind!r}.")
    values["model_type"] = family.kind
    if target_words is not None:
        if not family.two_vocabularies:
            raise ConfigError(
                f"{where}: {family.kind!r} has one vocabulary for both sides, and here each has "
                "its own. Train with tokenizer.shared = true."
            )
        values["decoder_vocab_size"] = target_words
    table = family.table(settings, padding)
    alone = str(values["architectures"][0]).endswith("Model")
    given = give(table.rows, ours, str(where))
    given = {name if alone else table.full(name): tensor for name, tensor in given.items()}
    given |= family.further(settings, values, given)
    _read_back(family, values, TensorsToWrite(where, given), settings, ours)
    return values, given


def _read_back(
    family: ModelFamily,
    values: dict[str, Any],
    given: TensorsToWrite,
    settings: NetworkSettings,
    ours: Tensors,
) -> None:
    """Import what is about to be written: it must be the network that it was."""
    plan = family.plan(values, given)
    before, after = _network(settings), _network(exchangeable(plan.settings, given.where))
    if wrong := sorted(key for key in before if before[key] != after.get(key)):
        told = ", ".join(f"model.{key} = {before[key]!r}" for key in wrong)
        raise ConfigError(
            f"{given.where}: {family.kind!r} has no such network ({told}), so it cannot be "
            f"exported as one.{_advice(settings)}"
        )
    tensors, _ = take(plan, given)
    if lost := sorted(ours.keys() - tensors.keys()):
        raise ConfigError(f"{given.where}: has no place there for {', '.join(lost)}.")
    for name, tensor in ours.items():
        if not torch.allclose(tensors[name], tensor, rtol=CLOSE, atol=0.0):
            raise ConfigError(f"{given.where}: {name} does not come back as it was. Report this.")


def _network(settings: NetworkSettings) -> dict[str, Any]:
    """Return what determines the scores, with what may be left out filled in."""
    chosen = settings.model_dump(exclude=set(TRAINING_ONLY))
    heads = settings.heads
    size = settings.width // heads
    for key, usual in (("key_width", size), ("value_width", size), ("key_value_heads", heads)):
        chosen[key] = chosen[key] or usual
    for key in BUILT_IN.keys() & chosen.keys():
        chosen[key] = chosen_or_built_in(settings, key)
    if isinstance(settings, TransformerSettings):
        chosen["decoder_heads"] = settings.decoder_heads or heads
        chosen["decoder_ffn_width"] = settings.decoder_ffn_width or settings.ffn_width
    if isinstance(settings, EncoderSettings) and settings.lm_head == "none":
        chosen |= {"tied": True, "output_bias": True}  # there is no output
    return {
        k: v
        for k, v in chosen.items()
        if settings.positions in ONLY_WITH.get(k, (settings.positions,))
    }


def exchangeable(settings: AnyModel, run: Path) -> NetworkSettings:
    """Return the settings of a network that transformers may have; refuse any other."""
    if isinstance(settings, DecoderOnlySettings | TransformerSettings | EncoderSettings):
        return settings
    if isinstance(settings, ClipSettings):
        raise ConfigError(f"{run}: a network of kind 'clip' can be imported, but not exported.")
    raise ConfigError(f"{run}: transformers has no network of kind {settings.kind!r}.")


def family_of_run(recipe: Recipe, settings: NetworkSettings, run: Path) -> ModelFamily:
    """Return the family that a run came from, or the first that has such networks."""
    if isinstance(recipe.corpus, ImportedCorpus) and recipe.corpus.family in FAMILIES:
        return FAMILIES[recipe.corpus.family]
    for family in FAMILIES.values():
        if family.values(settings, 1, None) is not None:
            return family
    raise ConfigError(
        f"{run}: no network of transformers has model.kind = {settings.kind!r} with "
        f"model.positions = {settings.positions!r} and model.norm = {settings.norm!r}. Known: "
        "decoder-only with learned or rotary positions, transformer with sinusoidal ones or t5, "
        f"encoder with learned ones.{_advice(settings)}"
    )


def _advice(settings: NetworkSettings) -> str:
    """Say how to have a translator that fits."""
    if not isinstance(settings, TransformerSettings):
        return ""
    return " A recipe of `dragoman new --exportable` fits."


def _longest(recipe: Recipe, notes: Mapping[str, str]) -> int:
    """Return the positions that sources and outputs may need, START and END included."""
    noted = notes.get("longest_source", "")
    source = int(noted) if noted.isdecimal() else recipe.batches.max_length
    written = int(longest_lengths([source], recipe.decoding)[0])
    return 1 + max(source, min(written, MOST_POSITIONS))


def _numbers(words: Tokenizer, *, writes: bool) -> dict[str, int | None]:
    """Return the numbers of the marks, which transformers keeps among the settings."""
    named = {"pad_token_id": words.pad, "bos_token_id": words.start, "eos_token_id": words.end}
    known: dict[str, int | None] = {k: number for k, number in named.items() if number is not None}
    if writes:
        known |= {"decoder_start_token_id": words.start, "forced_eos_token_id": None}
    return known
