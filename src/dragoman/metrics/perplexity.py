"""Perplexity: the surprise of a model by a text, per token.

A loss of H nats per token means the model hesitates as if between exp(H) equally likely tokens.
Tokens of different tokenizers differ in size: compare only figures of the same tokenizer.
"""

import math
from dataclasses import dataclass

from dragoman.core.errors import DataError


@dataclass(frozen=True, slots=True)
class Perplexity:
    """The same surprise in three units."""

    nats_per_token: float
    bits_per_token: float
    perplexity: float
    """Infinite where the number is too large to write down."""


def perplexity(nats: float, tokens: int) -> Perplexity:
    """Return the perplexity of a text whose tokens cost so many nats in all."""
    if tokens < 1:
        raise DataError(f"perplexity: a text of {tokens} tokens has none; give at least one token.")
    each = nats / tokens
    try:
        choices = math.exp(each)
    except OverflowError:
        choices = math.inf
    return Perplexity(each, each / math.log(2), choices)
