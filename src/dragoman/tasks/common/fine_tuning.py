"""Fine-tuning: a network that starts from the weights of another run."""

from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import TypeVar

import torch
from torch import Tensor, nn

from dragoman.config.recipe import Recipe
from dragoman.config.start import StartSettings
from dragoman.core.console import say
from dragoman.core.errors import CheckpointError, ConfigError
from dragoman.data.tokenizer.pair import TokenizerPair
from dragoman.engine.checkpoint.folder import RunFolder, trained_run
from dragoman.engine.checkpoint.weights import read_weights, weights_of
from dragoman.neural.adapt.adapting import adapt
from dragoman.neural.adapt.parts import trainable_count
from dragoman.neural.adapt.vocabulary import grow_vocabulary

Network = TypeVar("Network", bound=nn.Module)


def start_network(
    recipe: Recipe,
    tokenizer: TokenizerPair,
    build: Callable[[TokenizerPair], Network],
    *,
    fresh: bool,
    new: Collection[str] = (),
    left: Collection[str] = (),
) -> Network:
    """Build a recipe's network and, where it starts from a run, make it ready to be adapted.

    `new` names parts that the run need not have, `left` parts of the run that are not needed; any
    other difference is an error. The weights of a run that is resumed are stored in its own
    folder, so what it started from is looked at only when it is `fresh`.
    """
    start = recipe.start
    if start is None:
        return build(tokenizer)
    model = _filled(start, tokenizer, build, new, left) if fresh else build(tokenizer)
    adapt(model, start, _missing(model, new) if new else ())
    _tell(model, start)
    return model


def _tell(model: nn.Module, start: StartSettings) -> None:
    whole = sum(weight.numel() for weight in model.parameters())
    say(f"starts from {start.run}, {start.method}: {trainable_count(model):,} of {whole:,} trained")


def start_image_network(
    recipe: Recipe,
    build: Callable[[], Network],
    *,
    fresh: bool,
    notes: Mapping[str, str],
    head: str,
) -> Network:
    """Do the same for a network that reads no text.

    Its `head` is kept where the notes beside the weights, which name the classes, are the same as
    those of the run it starts from; else it is drawn anew.
    """
    start, model = recipe.start, build()
    if start is None:
        return model
    stored = read_weights(_base(start).model)
    new = () if all(stored.notes.get(key) == note for key, note in notes.items()) else (head,)
    if fresh:
        kept = {name: one for name, one in stored.tensors.items() if not _within(name, new)}
        _copy(model, _base(start).path, kept, new, ())
    adapt(model, start, new)
    _tell(model, start)
    return model


def base_tokenizer(start: StartSettings) -> TokenizerPair:
    """Return the tokenizer of the run that another one starts from."""
    return TokenizerPair.load(_base(start).tokenizer)


def _base(start: StartSettings) -> RunFolder:
    return trained_run(start.run)


def _filled(
    start: StartSettings,
    tokenizer: TokenizerPair,
    build: Callable[[TokenizerPair], Network],
    new: Collection[str],
    left: Collection[str],
) -> Network:
    """Return a network with the weights of a run, and rows for the words that are new."""
    before = base_tokenizer(start)
    model = build(before)
    base = _base(start)
    _copy(model, base.path, read_weights(base.model).tensors, new, left)
    sizes = tokenizer.source.size, tokenizer.target.size
    if sizes != (before.source.size, before.target.size):
        grow_vocabulary(model, *sizes)
    return model


@torch.no_grad()
def _copy(
    model: nn.Module,
    base: Path,
    tensors: Mapping[str, Tensor],
    new: Collection[str],
    left: Collection[str],
) -> None:
    """Copy a run's weights into a network; every tensor must be accounted for."""
    own = weights_of(model)
    missing = [name for name in own if name not in tensors and not _within(name, new)]
    unused = [name for name in tensors if name not in own and not _within(name, left)]
    if missing or unused:
        raise CheckpointError(
            f"start.from: {base} does not fit this network: "
            f"{len(missing)} tensors missing {missing[:3]}, {len(unused)} unused {unused[:3]}. "
            "Give the same [model] as that run, or leave it out."
        )
    for name, weight in own.items():
        if name not in tensors:
            continue
        if weight.shape != tensors[name].shape:
            raise CheckpointError(
                f"start.from: {base}: {name} has shape {list(tensors[name].shape)}, "
                f"and this network wants {list(weight.shape)}. Leave [model] out."
            )
        weight.copy_(tensors[name])


def _within(name: str, parts: Collection[str]) -> bool:
    return any(name == part or name.startswith(f"{part}.") for part in parts)


def _missing(model: nn.Module, new: Collection[str]) -> list[str]:
    """Return those of the named parts that the network has."""
    there = {name for name, _ in model.named_modules()}
    found = [part for part in new if part in there]
    if not found:
        raise ConfigError(f"start: none of {', '.join(new)} is a part of this network.")
    return found
