"""What a translator looked at: attention weights, seen through the seam that every layer has.

Seeing changes nothing: the same scores come out, bit for bit, and the seam is put back.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch
from torch import Tensor, nn

from dragoman.data.tokenizer.symbols import END, START
from dragoman.engine.inference.translator import Translator
from dragoman.neural.layers.watchable import Watchable

Maps = dict[str, list[Tensor]]


@contextmanager
def attention_maps(model: nn.Module) -> Iterator[Maps]:
    """Collect the weights [b, h, t, s] of every attention layer, by the layer's name."""
    maps: Maps = {}
    layers = {name: part for name, part in model.named_modules() if isinstance(part, Watchable)}
    for name, layer in layers.items():
        layer.watcher = maps.setdefault(name, []).append
    try:
        yield maps
    finally:
        for layer in layers.values():
            layer.watcher = None


def source_attention(translator: Translator, source: str, target: str) -> "SourceAttention":
    """Return how each target piece of a translation looked at each source piece."""
    vocabularies = translator.tokenizer
    read = [*vocabularies.encode_source(source), END]
    written = vocabularies.target.encode(target)
    with torch.inference_mode(), attention_maps(translator.model) as maps:
        translator.model(
            torch.tensor([read], device=translator.device),
            torch.tensor([[START, *written]], device=translator.device),
        )
    layers = [weights[0][0] for name, weights in maps.items() if "source_attention" in name]
    stacked = torch.stack(layers).float().cpu().numpy()  # layers h t s
    return SourceAttention(
        weights=stacked,
        source=vocabularies.source.words(read),
        target=[*vocabularies.target.words(written), "</s>"],
    )


class SourceAttention:
    """Weights [layer, head, target, source] with the pieces that they stand between."""

    def __init__(self, weights: np.ndarray, source: list[str], target: list[str]) -> None:
        self.weights = weights
        self.source = source
        self.target = target
