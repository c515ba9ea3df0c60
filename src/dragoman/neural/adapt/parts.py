"""Trainable parts of a network, and the names by which a recipe asks for them.

A part is named as the network names it, "output" or "decoder.2.attention"; and three words mean
something of every part: "embeddings" (tables of words and positions), "norms" and "biases". Tied
matrices are one: who trains the output trains the embeddings that it shares.
"""

from collections.abc import Collection, Iterable, Iterator

from torch import nn

from dragoman.core.errors import ConfigError, nearest

WORDS = ("embeddings", "norms", "biases")


def trainable_parameters(model: nn.Module) -> dict[str, nn.Parameter]:
    """Return the weights that training changes, by name, each shared one once."""
    return {name: weight for name, weight in model.named_parameters() if weight.requires_grad}


def trainable_count(model: nn.Module) -> int:
    """Return how many numbers training changes."""
    return sum(weight.numel() for weight in trainable_parameters(model).values())


def train_only(model: nn.Module, trained: Iterable[nn.Parameter]) -> None:
    """Freeze every weight but these."""
    kept = {id(weight) for weight in trained}
    for weight in model.parameters():
        weight.requires_grad_(id(weight) in kept)
        weight.grad = None
    if not kept:
        raise ConfigError(
            "start: nothing would be trained. Name parts in start.trainable, or set "
            f"start.last_layers. {_known(model, '')}"
        )


def parameters_of(model: nn.Module, names: Collection[str]) -> list[nn.Parameter]:
    """Return the weights of named parts."""
    return [weight for name in names for weight in _parameters(model, name)]


def _parameters(model: nn.Module, name: str) -> Iterator[nn.Parameter]:
    match name:
        case "embeddings":
            yield from _of_kind(model, nn.Embedding)
        case "norms":
            yield from _of_kind(model, nn.LayerNorm, nn.RMSNorm)
        case "biases":
            for full, weight in model.named_parameters():
                if full.rpartition(".")[2].startswith("bias"):  # a recurrent cell has two
                    yield weight
        case _:
            parts = dict(model.named_modules(remove_duplicate=False))
            weights = dict(model.named_parameters(remove_duplicate=False))
            found = [weights[name]] if name in weights else []
            if name in parts and name:
                found = [*parts[name].parameters()]
            if not found:
                raise ConfigError(
                    f"start.trainable: this network has no part {name!r} that could be trained. "
                    f"{_known(model, name)}"
                )
            yield from found


def _of_kind(model: nn.Module, *kinds: type[nn.Module]) -> Iterator[nn.Parameter]:
    for part in model.modules():
        if isinstance(part, kinds):
            yield from part.parameters()


def _known(model: nn.Module, name: str) -> str:
    """Say which part comes closest to a wrong name, or list the largest ones."""
    parts = [full for full, part in model.named_modules() if full and [*part.parameters()]]
    if name:
        said = nearest(name, [*parts, *WORDS])
        if said.startswith("Did you mean"):
            return said
    return nearest("", [full for full in parts if "." not in full] + [*WORDS])
