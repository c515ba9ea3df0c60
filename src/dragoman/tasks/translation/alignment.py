"""Word alignment from attention weights, and its alignment error rate on gold alignments.

The network is told the reference and watched: a target word is linked to the source word that it
looked at most. A network with many maps must choose one, and chooses it on the validation set: the
head of a layer, or the mean of its heads, with the lowest alignment error rate there. The test sets
are then judged by that one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from dragoman.config.corpus import GrammarCorpus
from dragoman.config.reading import read_recipe
from dragoman.core.errors import DataError
from dragoman.data.corpus.held_out import load_held_out
from dragoman.data.grammar.gold import redraw
from dragoman.data.grammar.sample import GrammarExample
from dragoman.data.tokenizer.special_tokens import END
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.metrics.alignment import AlignmentScore, Link, alignment_error, links_from_weights
from dragoman.tasks.translation.attention import kinds_of, read_attention
from dragoman.tasks.translation.bare_translator import BareTranslator
from dragoman.tasks.translation.subword_words import join_subwords, words_of_subwords

MOST = 500
"""Pairs of a set that are aligned: some thousands of links, soon done."""

TOGETHER = 128
"""Pairs whose maps are held at once: enough to sort by length, little enough for any memory."""


@dataclass(frozen=True, slots=True, order=True)
class AttentionHead:
    """One map of a network."""

    layer: int
    """Counted from 1."""

    head: int = 0
    """Counted from 1; 0 is the mean of the layer's heads."""

    def __str__(self) -> str:
        return f"layer {self.layer}, {f'head {self.head}' if self.head else 'mean of heads'}"


@dataclass(frozen=True, slots=True)
class AlignmentEvaluation:
    """The evaluation of a network's word alignment on one set."""

    pairs: int
    score: AlignmentScore
    choice: AttentionHead

    def summary(self) -> dict[str, Any]:
        """Return what is stored."""
        return {"pairs": self.pairs, "map": str(self.choice), **asdict(self.score)}


def evaluate_alignments(
    folder: RunFolder, translator: BareTranslator
) -> dict[str, AlignmentEvaluation]:
    """Judge the alignments of a run on its own test sets; only the grammar has gold ones."""
    recipe = read_recipe(folder.recipe)
    corpus = recipe.corpus
    if not isinstance(corpus, GrammarCorpus) or not _looks(translator):
        return {}
    seed = recipe.seed if corpus.seed is None else corpus.seed
    stored = load_held_out(folder.data)
    gold = {
        name: redraw(pairs[:MOST], name, difficulty=corpus.difficulty, seed=seed)
        for name, pairs in {"valid": stored.valid, **stored.tests}.items()
        if name != "everyday"  # phrases mean what they mean as a whole
    }
    choice = best_head(translator, gold.pop("valid"))
    return {name: alignments(translator, pairs, choice) for name, pairs in gold.items()}


def best_head(translator: BareTranslator, examples: Sequence[GrammarExample]) -> AttentionHead:
    """Return the map whose links come nearest to gold ones; the first of several as good."""
    found: dict[AttentionHead, list[set[Link]]] = {}
    for tables in word_weights(translator, examples):
        for choice, table in tables.items():
            found.setdefault(choice, []).append(links_from_weights(table))
    gold = [example.alignment for example in examples]
    errors = {choice: alignment_error(links, gold).error for choice, links in found.items()}
    return min(errors, key=lambda choice: (errors[choice], choice))


def alignments(
    translator: BareTranslator, examples: Sequence[GrammarExample], choice: AttentionHead
) -> AlignmentEvaluation:
    """Judge the links that one map of a network gives."""
    found = [links_from_weights(tables[choice]) for tables in word_weights(translator, examples)]
    score = alignment_error(found, [example.alignment for example in examples])
    return AlignmentEvaluation(len(examples), score, choice)


def word_weights(
    translator: BareTranslator, examples: Sequence[GrammarExample]
) -> Iterator[dict[AttentionHead, np.ndarray]]:
    """Yield, for each pair, how much each target word looks at each source word, map by map.

    END is no word and is left out, on both sides.
    """
    for begin in range(0, len(examples), TOGETHER):
        yield from _word_weights(translator, examples[begin : begin + TOGETHER])


def _word_weights(
    translator: BareTranslator, examples: Sequence[GrammarExample]
) -> Iterator[dict[AttentionHead, np.ndarray]]:
    words = translator.tokenizer
    sources = [words.encode_source(example.source) for example in examples]
    targets = [words.target.encode(example.target) for example in examples]
    seen = read_attention(translator.model, [[*source, END] for source in sources], targets)
    for example, source, target, one in zip(examples, sources, targets, seen, strict=True):
        rows = _words(words_of_subwords(words.target, target), example.target)
        columns = _words(words_of_subwords(words.source, source), example.source)
        tables: dict[AttentionHead, np.ndarray] = {}
        for layer, weights in enumerate(one.across, 1):
            heads = join_subwords(weights[:, : len(rows), : len(columns)], rows, columns)
            tables[AttentionHead(layer)] = heads.mean(0)
            if len(heads) > 1:
                tables |= {AttentionHead(layer, head): w for head, w in enumerate(heads, 1)}
        yield tables


def _words(places: list[int], text: str) -> list[int]:
    """Check that subwords make up the words that the gold alignment counts."""
    if not places or places[-1] + 1 != len(text.split()):
        raise DataError(f"the pieces of {text!r} do not make up its words, so none are aligned.")
    return places


def _looks(translator: BareTranslator) -> bool:
    return bool({"across", "row"} & set(kinds_of(translator.model).values()))
