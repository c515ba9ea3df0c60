"""Memory of a training step and of decoding: weights, gradients, optimizer state, activations, KV
cache."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import assert_never

from dragoman.config.decoder_only import DecoderOnlySettings
from dragoman.config.model import AnyModel, TransformerSettings
from dragoman.config.optimizer import (
    AdaGrad,
    Adam,
    AdamW,
    Momentum,
    Nesterov,
    OptimizerSettings,
    RmsProp,
    Sgd,
)
from dragoman.config.recurrent import RecurrentSettings
from dragoman.config.recurrent_text import RecurrentLanguageSettings
from dragoman.config.stack import StackSettings
from dragoman.planner.count.attention import LayerShape
from dragoman.planner.count.recurrent import state_parts
from dragoman.planner.count.subject import CountSubject
from dragoman.planner.count.tape import FLOAT
from dragoman.planner.count.tree import Cost, CountNode

FRAGMENTATION = 0.6
"""Share that the heap takes besides what comes and goes in a step: blocks of many sizes leave gaps,
and after some steps the C library holds more than half as much again. It was fitted to the measured
peaks of benchmarks/training_memory.py, and holds for training on a CPU."""


@dataclass(frozen=True, slots=True)
class TrainingMemory:
    """Bytes of each part of a training, and of all of it at its highest."""

    parameters: int
    gradients: int
    optimizer: int
    average: int
    """The exponential moving average of the weights, where there is one."""
    activations: int
    fragmentation: int
    """What the heap holds besides, because blocks of many sizes come and go."""
    peak: int


@dataclass(frozen=True, slots=True)
class CacheMemory:
    """Bytes that decoding holds: the KV cache of an attention, or the state of recurrent layers."""

    per_token: int
    """For each token that a hypothesis has written."""
    per_source_token: int
    """For each token of the source."""
    fixed: int
    """For each hypothesis, however long it is."""
    beam: int
    """Hypotheses of one text."""
    shared_source: bool
    """Whether the hypotheses of a text share what is held of its source."""
    source_length: int
    longest: int
    """Tokens that are written at most."""

    @property
    def at_longest(self) -> int:
        """Bytes for one text of the greatest length."""
        written = self.beam * (self.longest * self.per_token + self.fixed)
        source = self.source_length * self.per_source_token
        return written + source * (1 if self.shared_source else self.beam)


def optimizer_values(settings: OptimizerSettings) -> int:
    """Return how many numbers an optimizer remembers of each weight."""
    match settings:
        case Adam() | AdamW():
            return 2
        case RmsProp() | AdaGrad() | Momentum() | Nesterov():
            return 1
        case Sgd():
            return 0
        case _:
            assert_never(settings)


def training_memory(subject: CountSubject, network: CountNode) -> TrainingMemory:
    """Return the memory of a training step on a CPU, in float32."""
    total, training = network.total, subject.training
    weights, gradients = FLOAT * total.parameters, FLOAT * total.trained
    optimizer = optimizer_values(subject.optimizer) * gradients
    average = weights if training.ema_decay else 0
    held = gradients if training.accumulate > 1 else 0
    updates = gradients + (2 * gradients if isinstance(subject.optimizer, RmsProp) else 0)
    moving = max(held + _highest(network), updates)
    fragmentation = round(FRAGMENTATION * moving)
    return TrainingMemory(
        weights,
        gradients,
        optimizer,
        average,
        total.activations,
        fragmentation,
        weights + optimizer + average + moving + fragmentation,
    )


def _highest(network: CountNode) -> int:
    """Return the most that activations and gradients take at once.

    The backward pass goes from the last part to the first: it frees what each part has kept, and
    makes the gradients of its weights, with those of its input and output beside them.
    """
    parts = list(_in_order(network))
    kept = sum(cost.activations for cost in parts)
    made = highest = 0
    for cost in reversed(parts):
        made += FLOAT * cost.trained
        highest = max(highest, kept + made + cost.workspace)
        kept -= cost.activations
    return highest


def _in_order(node: CountNode) -> Iterator[Cost]:
    for part in node.parts:
        yield from _in_order(part)
    yield node.own


def cache_memory(subject: CountSubject) -> CacheMemory | None:
    """Return what decoding holds of a text; None for networks that write nothing."""
    sizes = _cache_sizes(subject.model)
    if sizes is None:
        return None
    decoding, model, longest = subject.decoding, subject.model, subject.longest
    translates = bool(subject.sizes.source_length and subject.sizes.target_length)
    one_stack = isinstance(model, DecoderOnlySettings)
    source = longest if subject.sizes.source_length else 0
    if translates:
        longest = round(source * decoding.max_length_ratio) + decoding.max_length_extra
    if isinstance(model, StackSettings) and model.positions == "learned":
        longest = min(longest, model.max_positions - (source if one_stack else 0))
    beam = decoding.beam if translates and decoding.search == "beam" else 1
    per_token, per_source, fixed = (FLOAT * one for one in sizes)
    return CacheMemory(per_token, per_source, fixed, beam, not one_stack, source, max(0, longest))


def _cache_sizes(model: AnyModel) -> tuple[int, int, int] | None:
    """Return the numbers per written token, per source token and in all."""
    match model:
        case TransformerSettings():
            shape = LayerShape.of(model, model.decoder_heads)
            keys = model.decoder_layers * shape.groups * (shape.keys + shape.values)
            return keys, keys, 0
        case DecoderOnlySettings():
            shape = LayerShape.of(model)
            keys = model.layers * shape.groups * (shape.keys + shape.values)
            return keys, keys, 0
        case RecurrentSettings():
            state = model.decoder_layers * state_parts(model.cell) * model.width
            attends = {
                "additive": model.attention_width or model.width,
                "general": model.width,
                "dot": model.memory_width,
            }
            key = attends.get(model.context, 0)
            fed = model.width if model.context == "every" else 0
            fed += model.output_width if model.input_feeding else 0
            return 0, key + model.memory_width if key else 0, state + fed
        case RecurrentLanguageSettings():
            return 0, 0, model.layers * state_parts(model.cell) * model.width
        case _:
            return None
