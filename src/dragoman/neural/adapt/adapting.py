"""From the way in which a run starts to a network of which only the right weights are trained."""

from collections.abc import Collection
from typing import assert_never

from torch import nn

from dragoman.config.start import FrozenStart, FullStart, LoraStart, PrefixStart, StartSettings
from dragoman.neural.adapt.freezing import freeze
from dragoman.neural.adapt.lora import apply_lora
from dragoman.neural.adapt.parts import train_only
from dragoman.neural.adapt.prefix import apply_prefix


def adapt(model: nn.Module, settings: StartSettings, new: Collection[str] = ()) -> None:
    """Make a trained network ready to be trained further.

    Its weights must be in it already. `new` names the parts that they do not fill, as the head of a
    classifier: these are always trained.
    """
    match settings:
        case FullStart():
            train_only(model, model.parameters())
        case FrozenStart():
            freeze(model, settings, new)
        case LoraStart():
            apply_lora(model, settings, new)
        case PrefixStart():
            apply_prefix(model, settings, new)
        case _:
            assert_never(settings)
