"""Claims on masks: no word sees what comes after it, and what hides it is added to the scores."""

import math

import torch
from pydantic import Field
from torch import Tensor
from torch.nn import functional as F

from dragoman.config.settings import Settings
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Evidence, above, apart, equal, largest_difference, same
from dragoman.lab.sampling import normal, random_layer
from dragoman.lab.topics.attention.watch import bare_attention, look, rows
from dragoman.neural.layers.attention import (
    Attention,
    HeadShape,
    attend_written_out,
    attention_weights,
)
from dragoman.plots.lab import HeatMap


class CausalAttentionSettings(Settings):
    """A sequence in which each position sees its past."""

    words: int = Field(default=6, ge=2, le=20)
    """Positions of the sequence."""
    width: int = Field(default=4, ge=1, le=64)
    """Entries of each vector."""
    seed: int = Field(default=1, ge=0)
    """Seed of the input and of the weights."""


HANDOUT = -1e7
"""What the exercise uses in place of minus infinity."""


@claim(
    "A15",
    r"Causal attention is the same layer with $-\infty$ added to the scores above the diagonal. "
    "Changing a later word then leaves all earlier outputs identical to the last bit. A large "
    "negative number such as $-10^7$ works as well.",
    r"\mathrm{softmax}\left(\frac{Q K^\top}{\sqrt{h}} + M\right) V, \qquad "
    r"M_{ij} = \begin{cases} 0 & j \le i \\ -\infty & j > i \end{cases}",
)
def causal_attention(settings: CausalAttentionSettings) -> Evidence:
    """Compare with torch's causal kernel, and change the last word."""
    width, words = settings.width, settings.words
    layer = random_layer(lambda: Attention(width, 1, HeadShape(output=False)), settings.seed)
    x = normal(settings.seed + 1, words, width)
    mixed, weights = look(layer, x, causal=True)
    changed = x.clone()
    changed[-1] += 1000.0
    after = look(layer, changed, causal=True)[0]
    with torch.no_grad():
        q, k, v = layer.query(x), layer.key(x), layer.value(x)
    torchs = F.scaled_dot_product_attention(q[None], k[None], v[None], is_causal=True)[0]
    large = torch.full((words, words), HANDOUT, dtype=torch.float64).triu(1)
    handout = (q @ k.T / math.sqrt(width) + large).softmax(1) @ v
    return Evidence(
        stated=[
            equal(
                "change of the outputs before the changed word",
                largest_difference(after[:-1], mixed[:-1]),
                0.0,
                0.0,
            ),
            apart("change of the output at the changed word", after[-1], mixed[-1], 1e-6),
            same("difference from torch's causal kernel", mixed, torchs),
            same("difference from a mask of -10,000,000", mixed, handout),
            equal("largest weight of a later word", weights.triu(1).abs().max(), 0.0, 0.0),
        ],
        plot=[HeatMap("Causal weights", rows(weights[0]), "key", "query")],
    )


@claim(
    "D6",
    r"A decoder hides the future by setting the scores of later words to $-\infty$. This "
    "computes all positions at once and gives the same result as the slow alternative of "
    "cutting keys and values to the past at every step.",
    r"e_{ij} = \begin{cases} q_i^\top k_j & j \le i \\ -\infty & j > i \end{cases}",
)
def causal_mask(settings: CausalAttentionSettings) -> Evidence:
    """Compare with a step for each position, and look for gradients from the future."""
    layer = bare_attention(settings.width, settings.seed)
    x = normal(settings.seed + 1, settings.words, settings.width)
    masked = look(layer, x, causal=True)[0]
    with torch.no_grad():
        steps = [
            layer.attend_to(x[None, i : i + 1], layer.project_keys_values(x[None, : i + 1]))[0, 0]
            for i in range(settings.words)
        ]
    slopes = _slopes(layer, x)
    future = torch.ones_like(slopes).triu(1).bool()
    return Evidence(
        stated=[
            same("difference from one step at a time", masked, torch.stack(steps)),
            equal("largest gradient with respect to a later word", slopes[future].max(), 0.0, 0.0),
            above(
                "smallest gradient with respect to an earlier word or itself",
                slopes[~future].min(),
                0.0,
            ),
        ],
        plot=[
            HeatMap(
                "Gradient of each output with respect to each word",
                rows(slopes),
                "word",
                "output",
            )
        ],
    )


def _slopes(layer: Attention, x: Tensor) -> Tensor:
    """Return the size of the derivative of each output with respect to each word."""
    words = x.clone().requires_grad_()
    output = layer(words[None], words[None], causal=True)[0]
    each = [torch.autograd.grad(one.square().sum(), words, retain_graph=True)[0] for one in output]
    return torch.stack(each).norm(dim=-1)


class ConstantMaskSettings(Settings):
    """A mask with a constant where keys are visible."""

    constant: float = Field(default=1.0, ge=-100.0, le=100.0)
    """What is added to the scores on and below the diagonal."""
    words: int = Field(default=5, ge=1, le=50)
    """Positions of the sequence."""
    width: int = Field(default=4, ge=1, le=64)
    """Entries of queries, keys and values."""
    seed: int = Field(default=1, ge=0)
    """Seed of queries, keys and values."""


@claim(
    "E142",
    r"A mask of 1 and $-\infty$ hides the same words as a mask of 0 and $-\infty$, because a "
    "constant added to all scores of a row cancels in the softmax. Which constant stands on and "
    "below the diagonal is a convention; 0 is the usual choice.",
    r"\frac{e^{s_j + c}}{\sum_l e^{s_l + c}} = \frac{e^c\, e^{s_j}}{e^c \sum_l e^{s_l}} = "
    r"\frac{e^{s_j}}{\sum_l e^{s_l}}",
)
def mask_of_ones(settings: ConstantMaskSettings) -> Evidence:
    """Attend with either mask added, and with the layer's own."""
    words = settings.words
    q, k, v = normal(settings.seed, 3, 1, 1, words, settings.width)
    hidden = torch.ones(words, words, dtype=torch.bool).triu(1)
    usual = torch.zeros(words, words, dtype=torch.float64).masked_fill(hidden, -math.inf)
    of_notes = usual + settings.constant
    noted, zero = (
        attend_written_out(q, k, v, None, one[None, None], causal=False, dropout=0.0)
        for one in (of_notes, usual)
    )
    causal = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    weights = attention_weights(q, k, None, of_notes[None, None], causal=False)[0, 0]
    return Evidence(
        conventions=[
            same("difference between the two masks", noted, zero),
            same("difference of 1 and -∞ from torch's causal kernel", noted, causal),
            same("difference of 0 and -∞ from torch's causal kernel", zero, causal),
            equal("total weight of hidden words", weights[hidden].sum(), 0.0, 0.0),
        ],
        plot=[HeatMap("Weights with the mask of the notes", rows(weights), "key", "query")],
    )
