"""What a trained decoder attends to, and which source words its output needs."""

from dataclasses import dataclass

import torch
from torch import Tensor

from dragoman.lab.experiments.encoder_decoder.data import ToyPair, as_batch
from dragoman.metrics.alignment import Link, alignment_error, links_from_weights
from dragoman.neural.models.recurrent.decoder import EncodedSource
from dragoman.neural.models.recurrent.model import RecurrentTranslator


@torch.inference_mode()
def attended_links(model: RecurrentTranslator, pairs: list[ToyPair]) -> list[set[Link]]:
    """Link each target word to the source word that it was looked up at most; told the target."""
    batch = as_batch(pairs)
    state = model.begin(torch.from_numpy(batch.source))
    rows = []
    for tokens in torch.from_numpy(batch.target).unbind(1)[:-2]:  # not for END, nor after it
        _, state = model.step(tokens, state)
        if state.weights is None:
            raise TypeError("this decoder does not attend to the source.")
        rows.append(state.weights)
    weights = torch.stack(rows, dim=1).numpy()  # b t s
    real = [len(pair.target) for pair in pairs]  # shorter targets are padded
    return [links_from_weights(one[:count]) for one, count in zip(weights, real, strict=True)]


def alignment_errors(model: RecurrentTranslator, pairs: list[ToyPair]) -> dict[str, float]:
    """Return the alignment error rate of attention and of two baselines, in per cent.

    The diagonal links each target word to the source word at its own place; a guess links it to
    any, each as likely.
    """
    gold = [pair.links for pair in pairs]
    diagonal = [[(place, place) for place in range(len(pair.target))] for pair in pairs]
    guess = 1 - sum(1 / len(pair.source) for pair in pairs) / len(pairs)
    return {
        "alignment_error": 100 * alignment_error(attended_links(model, pairs), gold).error,
        "diagonal_error": 100 * alignment_error(diagonal, gold).error,
        "guess_error": 100 * guess,
    }


@dataclass(frozen=True)
class NeededWords:
    """The shares of source positions without which an output word becomes another."""

    any: float
    """Of all positions, in per cent."""
    aligned: float
    """Of those that the word is the translation of."""


@torch.inference_mode()
def needed_words(model: RecurrentTranslator, pairs: list[ToyPair]) -> NeededWords:
    """Take away one source word at a time; see which output words change; pairs of one length.

    A word that is taken away is read as a blank and cannot be attended to. The target words before
    each are told, so that one change does not bring about the next.
    """
    batch = as_batch(pairs)
    source, target = torch.from_numpy(batch.source), torch.from_numpy(batch.target)
    length = len(pairs[0].source)
    said = words_without(model, source, target, None)
    changed = torch.stack(
        [words_without(model, source, target, place).ne(said) for place in range(length)], dim=2
    )  # b t s
    gold = torch.zeros_like(changed)
    for row, pair in zip(gold, pairs, strict=True):
        for at, to in pair.links:
            row[to, at] = True
    return NeededWords(
        100 * changed.double().mean().item(), 100 * changed[gold].double().mean().item()
    )


def words_without(
    model: RecurrentTranslator, source: Tensor, target: Tensor, place: int | None
) -> Tensor:
    """Return the likeliest words, END left out, without the source word at a place."""
    mask = torch.ones_like(source, dtype=torch.bool)
    embedded = model.source_embedding(source)
    if place is not None:
        embedded[:, place] = 0.0
        mask[:, place] = False
    outputs, last = model.encoder(embedded, None)
    memory = EncodedSource(outputs, last, mask)
    states = model.decoder(model.target_embedding(target[:, :-2]), memory)
    return model.output(states).argmax(dim=-1)
