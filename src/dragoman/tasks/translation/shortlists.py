"""The shortlist of a run: counted out of its training tokens once, and kept in its folder."""

from contextlib import suppress

import torch
from jaxtyping import Int
from torch import Tensor

from dragoman.core.console import say
from dragoman.core.errors import CheckpointError, RunError, WriteError
from dragoman.data.batching.arrays import has_store
from dragoman.data.batching.shortlist import likely_targets
from dragoman.data.batching.store import TokenStore
from dragoman.data.tokenizer.pair import TokenizerPair
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.engine.checkpoint.weights import read_weights, write_weights
from dragoman.neural.decoding.shortlist import Shortlist

MOST = 200
"""Target tokens that are stored for each source token; a setting may ask for fewer."""


def shortlist_of(folder: RunFolder, tokenizer: TokenizerPair, count: int) -> Shortlist:
    """Return the `count` likeliest target tokens of each source token, counted out if need be."""
    sizes = tokenizer.source.size, tokenizer.target.size
    likely, always = _stored(folder, sizes) or _counted(folder, sizes)
    likely = likely[:, :count]
    if tokenizer.shared:  # names and numbers that training never saw are then still copied
        likely = torch.cat((likely, torch.arange(len(likely)).unsqueeze(1)), dim=1)
    return Shortlist(likely, always)


def _stored(folder: RunFolder, sizes: tuple[int, int]) -> tuple[Tensor, Tensor] | None:
    """Return what was counted before; a file that cannot be trusted is counted out again."""
    try:
        tensors = read_weights(folder.shortlist).tensors
    except CheckpointError:
        return None
    likely, always = tensors.get("likely"), tensors.get("always")
    if likely is None or always is None or likely.shape != (sizes[0], MOST):
        return None
    if not (_within(likely, -1, sizes[1]) and _within(always, 0, sizes[1])):
        return None
    return likely.long(), always.long()


def _within(entries: Int[Tensor, "..."], least: int, size: int) -> bool:
    return bool(((entries >= least) & (entries < size)).all())


def _counted(folder: RunFolder, sizes: tuple[int, int]) -> tuple[Tensor, Tensor]:
    if not has_store(folder.data, "train"):
        raise RunError(
            f"{folder.path}: its training tokens are not in {folder.data}, so no shortlist can be "
            "counted out. Set decoding.shortlist=0."
        )
    store = TokenStore.open(folder.data, "train")
    say("counting out which words belong together …")
    likely, always = (torch.from_numpy(part) for part in likely_targets(store, sizes, MOST))
    tensors = {"likely": likely.int(), "always": always.int()}
    with suppress(WriteError):  # a folder that cannot be written is counted out each time
        write_weights(folder.shortlist, tensors, {"kind": "shortlist"})
    return likely, always
