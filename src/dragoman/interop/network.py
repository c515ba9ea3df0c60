"""The network of imported settings, and the numbers that go into it."""

from collections.abc import Mapping
from typing import assert_never

import torch
from torch import Tensor, nn

from dragoman.config.clip import ClipSettings
from dragoman.config.decoder_only import DecoderOnlySettings
from dragoman.config.encoder import EncoderSettings
from dragoman.config.transformer import TransformerSettings
from dragoman.core.errors import CheckpointError, ShapeError
from dragoman.data.batching.pixels import Pixels
from dragoman.data.tokenizer.special_tokens import END, PAD, START
from dragoman.data.tokenizer.tokenizer import LARGEST
from dragoman.engine.build import PROMPT_END_ID
from dragoman.engine.checkpoint.weights import weights_of
from dragoman.interop.families.family import ImportedSettings, ImportPlan
from dragoman.interop.table import NOTHING, Account, AllowedNames, TensorRow, account_for
from dragoman.interop.tensor_source import TensorSource
from dragoman.neural.models.clip.model import Clip
from dragoman.neural.models.decoder_only import DecoderOnly
from dragoman.neural.models.encoder import Encoder
from dragoman.neural.models.transformer import Transformer

Tensors = dict[str, Tensor]


def network(
    settings: ImportedSettings,
    words: int,
    pixels: Pixels | None = None,
    seed: int = 0,
    *,
    target_words: int | None = None,
) -> nn.Module:
    """Build a network with freshly drawn weights; one that looks must know of pixels."""
    torch.manual_seed(seed)
    match settings:
        case DecoderOnlySettings():
            places = {"padding": PAD, "start": START, "prompt_end": PROMPT_END_ID}
            return DecoderOnly(settings, words, words, **places)
        case TransformerSettings():
            return Transformer(settings, words, target_words or words, padding=PAD)
        case EncoderSettings():
            return Encoder(settings, words, padding=PAD)
        case ClipSettings():
            if pixels is None:
                raise ShapeError("a network that looks at images must know how large they are")
            return Clip(settings, pixels.channels, pixels.size, words, end=END)
        case _:
            assert_never(settings)


def shapes_of(
    settings: ImportedSettings,
    words: int,
    pixels: Pixels | None = None,
    target_words: int | None = None,
) -> dict[str, tuple[int, ...]]:
    """Return the shape of each weight, without taking memory for any."""
    with torch.device("meta"):
        weights = weights_of(network(settings, words, pixels, target_words=target_words))
    return {name: tuple(weight.shape) for name, weight in weights.items()}


def take(
    plan: ImportPlan, stored: TensorSource, allowed: AllowedNames = NOTHING
) -> tuple[Tensors, Account]:
    """Return our weights from their tensors, and what became of each of theirs.

    Names and shapes are judged first, on tensors without content; only then is anything read.
    """
    account = judge(plan, stored, allowed)
    _check_copies(stored, account)
    tensors: Tensors = {}
    for one in plan.table.rows:
        if one.theirs in account.found:
            parts = one.way.to_ours(stored.finite(account.found[one.theirs]))
            tensors |= dict(zip(one.ours, (part.contiguous() for part in parts), strict=True))
    if account.missing:
        more = plan.target_vocab_size
        drawn = weights_of(network(plan.settings, plan.vocab_size, plan.pixels, target_words=more))
        tensors |= {name: drawn[name].clone() for name in drawn.keys() - tensors.keys()}
    return tensors, account


def judge(plan: ImportPlan, stored: TensorSource, allowed: AllowedNames = NOTHING) -> Account:
    """Compare what the settings declare with the tensors that are there, before any is read."""
    account = account_for(stored.shapes, plan.table, allowed, str(stored.where))
    _check_vocabulary(plan, stored, account)
    wanted = shapes_of(plan.settings, plan.vocab_size, plan.pixels, plan.target_vocab_size)
    _check_shapes(plan, stored, account, wanted)
    return account


def give(rows: tuple[TensorRow, ...], tensors: Mapping[str, Tensor], where: str) -> Tensors:
    """Return their tensors from our weights, for each row whose weights are there."""
    given: Tensors = {}
    for one in rows:
        if not tensors.keys() >= set(one.ours):
            continue
        try:
            given[one.theirs] = one.way.to_theirs([tensors[n] for n in one.ours]).contiguous()
        except ShapeError as error:
            raise CheckpointError(f"{where}: {', '.join(one.ours)}: {error}.") from None
    return given


def _check_shapes(
    plan: ImportPlan, stored: TensorSource, account: Account, wanted: Mapping[str, tuple[int, ...]]
) -> None:
    """Refuse tensors that do not have the shape that the settings ask for, naming them all."""
    wrong: list[str] = []
    named: set[str] = set()
    for one in plan.table.rows:
        named |= set(one.ours)
        if one.theirs not in account.found:
            continue
        shape = stored.shapes[account.found[one.theirs]]
        try:
            parts = one.way.to_ours(torch.empty(shape, device="meta"))
            fits = [tuple(part.shape) for part in parts] == [wanted.get(n) for n in one.ours]
        except (ShapeError, RuntimeError):
            fits = False
        if not fits:
            asked = " and ".join(str(list(wanted.get(n, ()))) for n in dict.fromkeys(one.ours))
            wrong.append(f"{account.found[one.theirs]} {list(shape)} (asked for: {asked})")
    if named != wanted.keys():
        raise CheckpointError(
            f"{stored.where}: the table does not fit our network: "
            f"{', '.join(sorted(named ^ wanted.keys()))}."
        )
    if wrong:
        raise CheckpointError(
            f"{stored.where}: {len(wrong)} tensors have another shape than the settings say: "
            f"{', '.join(wrong)}. Take the config.json that belongs to them."
        )


def _check_vocabulary(plan: ImportPlan, stored: TensorSource, account: Account) -> None:
    """Refuse a number of words that the embeddings do not have."""
    target = plan.target_vocab_size
    for one in plan.table.rows:
        name = account.found.get(one.theirs)
        if name is None or not one.ours[0].endswith("embedding.table.weight"):
            continue
        own = target is not None and one.ours[0].startswith("target_")
        key, declared = ("decoder_vocab_size", target) if own else ("vocab_size", plan.vocab_size)
        rows = stored.shapes[name][0] if stored.shapes[name] else 0
        if declared != rows:
            raise CheckpointError(
                f"{stored.where}: {key} = {declared:,}, but {name} has {rows:,} rows. "
                "Take the config.json that belongs to the tensors."
            )
    if not 0 < max(plan.vocab_size, target or 0) <= LARGEST:
        raise CheckpointError(
            f"{stored.where}: a vocabulary of {max(plan.vocab_size, target or 0):,} entries, where "
            f"{LARGEST:,} are the most."
        )


def _check_copies(stored: TensorSource, account: Account) -> None:
    for name, original in account.copies.items():
        same = original in account.found
        if same:
            other = account.found[original]
            same = stored.shapes[name] == stored.shapes[other]
            same = same and stored.tensor(name).equal(stored.tensor(other))
        if not same:
            raise CheckpointError(
                f"{stored.where}: {name} should repeat {original}, as the settings tie them, but "
                "is different. Set tie_word_embeddings to false in config.json if they are two."
            )
