"""Training only some parts of a network; the others stay as they are, to the last bit.

A part of which nothing is trained always makes the same of the same text, unless dropout is wanted
there too: its dropout is set to nothing, so calling `train()` on the network does not wake it.
"""

from collections.abc import Collection

from torch import nn

from dragoman.config.start import FrozenStart
from dragoman.core.errors import ConfigError
from dragoman.neural.adapt.parts import parameters_of, train_only
from dragoman.neural.layers.attention import Attention
from dragoman.neural.layers.blocks import CausalLayer, DecoderLayer, EncoderLayer
from dragoman.neural.layers.dropout import Dropout
from dragoman.neural.layers.embedding import TokenEmbedding
from dragoman.neural.layers.recurrent.stack import RecurrentStack
from dragoman.neural.layers.summed_embedding import SummedEmbedding

Layer = EncoderLayer | CausalLayer | DecoderLayer


def freeze(model: nn.Module, settings: FrozenStart, new: Collection[str] = ()) -> None:
    """Train the parts that the settings name and those that are new, and nothing else."""
    trained = parameters_of(model, [*settings.trainable, *new])
    for layer in last_layers(model, settings.last_layers):
        trained += layer.parameters()
    train_only(model, trained)
    hold_statistics(model)
    if settings.dropout == "trained":
        silence(model)


def last_layers(model: nn.Module, count: int) -> list[nn.Module]:
    """Return the last layers of every stack; both directions of a recurrent layer are one layer."""
    if count == 0:
        return []
    stacks = [stack for part in model.modules() if (stack := _layers(part))]
    deepest = max((len(stack) for stack in stacks), default=0)
    if count > deepest:
        raise ConfigError(
            f"start.last_layers = {count}: the network has {deepest} layers one above the other. "
            f"Use at most {deepest}."
        )
    return [part for stack in stacks for layer in stack[-count:] for part in layer]


def hold_statistics(model: nn.Module) -> None:
    """Let batch norms that are not trained go by what they remember, and remember nothing new."""
    for part in model.modules():
        if isinstance(part, nn.BatchNorm2d) and not part.weight.requires_grad:
            part.register_forward_pre_hook(lambda norm, _: norm.eval() and None)


def silence(model: nn.Module) -> None:
    """Take dropout away from every part that has weights, none of which is trained."""
    for part in model.modules():
        weights = [*part.parameters()]
        if weights and not any(weight.requires_grad for weight in weights):
            for inner in part.modules():
                _silence(inner)


def _silence(part: nn.Module) -> None:
    match part:
        case Dropout():
            part.rate = 0.0
        case Attention():
            part.dropout = 0.0
        case TokenEmbedding() | SummedEmbedding():
            part.word_dropout = 0.0


def _layers(part: nn.Module) -> list[list[nn.Module]]:
    """Return the layers of a stack, each with its parts; none if this is no stack."""
    if isinstance(part, RecurrentStack):
        cells, each = [*part.cells], part.directions
        return [cells[begin : begin + each] for begin in range(0, len(cells), each)]
    if isinstance(part, nn.ModuleList) and all(isinstance(layer, Layer) for layer in part):
        return [[layer] for layer in part]
    return []
