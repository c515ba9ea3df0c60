"""An imported translator under our own numbers: its vocabularies, and the rows of its network.

A mark that they do not have, or only as something else, becomes a row of its own. On the way out it
would take a share of the probability that they never give it; a bias of -100 leaves it none.
"""

from dataclasses import dataclass, replace
from pathlib import Path

import torch
from torch import Tensor

from dragoman.config.transformer import TransformerSettings
from dragoman.core.errors import DataError
from dragoman.data.tokenizer.imported import ImportedTokenizer, explain_errors
from dragoman.data.tokenizer.imported_files import read_imported
from dragoman.data.tokenizer.opus_files import OpusSide, has_opus, read_opus
from dragoman.data.tokenizer.pair import TokenizerPair
from dragoman.data.tokenizer.renumber import Order, renumber, special_token_order
from dragoman.data.tokenizer.tokenizer import Tokenizer
from dragoman.interop.families.family import ImportPlan, TranslatorSpecialTokens
from dragoman.interop.network import Tensors
from dragoman.interop.run import pad_vocabulary

NEVER = -100.0
"""A bias with which an entry has no part in the probabilities, in float32."""

TARGET_FOLDER = "target"
"""Where the tokenizer of the target is, in a folder with two that are each a tokenizer.json."""

Side = ImportedTokenizer | OpusSide


@dataclass(frozen=True)
class Sides:
    """The vocabularies of a translator, under their own numbers."""

    source: Side
    target: Side
    """The same as the source's, where there is one for both."""


def read_sides(folder: Path, plan: ImportPlan) -> Sides:
    """Read the vocabularies of a translator's folder."""
    rows, target_rows = plan.vocab_size, plan.target_vocab_size
    if has_opus(folder) and not (folder / "tokenizer.json").exists():
        return Sides(*read_opus(folder, rows, target_rows))
    source = pad_vocabulary(read_imported(folder), rows, str(folder))
    other = folder / TARGET_FOLDER
    if target_rows is not None and other.is_dir():
        return Sides(source, pad_vocabulary(read_imported(other), target_rows, str(other)))
    if target_rows not in (None, rows):
        raise DataError(
            f"{folder}: the network has two vocabularies, of {rows:,} and {target_rows:,} entries, "
            f"and the folder one tokenizer.json. Put that of the target into {other}."
        )
    return Sides(source, source)


def with_our_numbers(
    plan: ImportPlan, special: TranslatorSpecialTokens, tensors: Tensors, sides: Sides
) -> tuple[ImportPlan, Tensors, TokenizerPair]:
    """Return a translator whose marks have our numbers, and its tokenizer."""
    two = plan.target_vocab_size is not None and sides.source is not sides.target
    target_order = _order(sides.target, plan.target_vocab_size or plan.vocab_size, special)
    begin = _begin(sides.source) if two else special.start
    source_order = _order(sides.source, plan.vocab_size, replace(special, start=begin))
    target = _numbered(sides.target, target_order, special.end)
    source = target
    if sides.source is not sides.target:
        source = _numbered(sides.source, source_order, special.end)
    plan, moved = _moved(plan, tensors, source_order, target_order)
    return plan, moved, TokenizerPair(source, target)


def _begin(side: Side) -> int | None:
    """Return what may begin a source; nothing does, but a vocabulary of ours has an entry."""
    return None if isinstance(side, OpusSide) else side.start


def _order(side: Side, rows: int, special: TranslatorSpecialTokens) -> Order:
    return special_token_order(
        rows, pad=special.pad, unknown=side.unknown, start=special.start, end=special.end
    )


def _numbered(side: Side, order: Order, end: int) -> Tokenizer:
    if isinstance(side, OpusSide):
        return side.renumbered(order)
    _check_around(side, end)
    return renumber(side, order)


def _check_around(tokenizer: ImportedTokenizer, end: int) -> None:
    """Refuse a tokenizer that puts more around a text than its end, which is all that we put."""
    with explain_errors():
        around = tokenizer.put_around("a")
    plain = tokenizer.encode("a")
    if around not in (plain, [*plain, end]):
        raise DataError(
            "the tokenizer puts other marks around a text than one at its end, as the encoders of "
            "translators here expect. Such a model cannot be used."
        )


def _moved(
    plan: ImportPlan, tensors: Tensors, source: Order, target: Order
) -> tuple[ImportPlan, Tensors]:
    """Put the rows of the tables and of the output into our order."""
    settings = plan.settings
    if not isinstance(settings, TransformerSettings):
        raise DataError("only encoder-decoder networks can be imported as translators.")
    moved = dict(tensors)
    one = target if settings.tied == "all" else source
    orders = {
        "source_embedding.table.weight": one,
        "target_embedding.table.weight": target,
        "output.weight": target,
        "output.bias": target,
    }
    for name, order in orders.items():
        if name in tensors:
            moved[name] = _picked(tensors[name], order)
    if target.added:
        bias = moved.get("output.bias", torch.zeros(len(target.rows)))
        moved["output.bias"] = bias.index_fill(0, torch.tensor(sorted(target.added)), NEVER)
        settings = settings.model_copy(update={"output_bias": True})
    sizes = len(one.rows), None if plan.target_vocab_size is None else len(target.rows)
    return replace(plan, settings=settings, vocab_size=sizes[0], target_vocab_size=sizes[1]), moved


def _picked(tensor: Tensor, order: Order) -> Tensor:
    """Return rows in another order; what they do not have is zero."""
    picked = tensor[torch.tensor([row or 0 for row in order.rows])]
    missing = [n for n, row in enumerate(order.rows) if row is None]
    return picked.index_fill(0, torch.tensor(missing, dtype=torch.long), 0.0)
