"""Word alignment of a translation with its source, from the network's attention.

The network is told the translation and watched. Of its many maps the mean over the heads of one
layer is taken: the layer before the last, where there are several. It is there that Transformers
align best (Garg et al. 2019), and a network with one layer has no choice.
"""

from collections.abc import Sequence

import numpy as np

from dragoman.core.errors import ConfigError
from dragoman.data.tokenizer.special_tokens import END
from dragoman.metrics.alignment import links_from_weights
from dragoman.tasks.translation.attention import kinds_of, read_attention
from dragoman.tasks.translation.bare_translator import BareTranslator
from dragoman.tasks.translation.subword_words import join_subwords, words_of_subwords

Links = set[tuple[int, int]]


def word_links(translator: BareTranslator, pairs: Sequence[tuple[str, str]]) -> list[Links]:
    """Return, for each source and translation, pairs of word numbers; none where none are seen."""
    tables = word_weights(translator, pairs)
    return [set() if table is None else links_from_weights(table) for table in tables]


def word_weights(
    translator: BareTranslator, pairs: Sequence[tuple[str, str]]
) -> list[np.ndarray | None]:
    """Return how much each word of a translation attends to each word of its source.

    None where no attention is seen, or the subwords do not make up the words, as in languages
    without spaces.
    """
    tables: list[np.ndarray | None] = [None for _ in pairs]
    if not pairs or not _looks(translator):
        return tables
    words = translator.tokenizer
    sources = [words.encode_source(source) for source, _ in pairs]
    targets = [words.target.encode(target) for _, target in pairs]
    seen = read_attention(translator.model, [[*source, END] for source in sources], targets)
    for place, (source, target) in enumerate(pairs):
        rows = words_of_subwords(words.target, targets[place])
        columns = words_of_subwords(words.source, sources[place])
        if not _fits(rows, target) or not _fits(columns, source):
            continue
        layers = seen[place].across
        layer = layers[max(0, len(layers) - 2)]
        weights = join_subwords(layer[:, : len(rows), : len(columns)], rows, columns)
        tables[place] = weights.mean(0)
    return tables


def _fits(words: Sequence[int], text: str) -> bool:
    return bool(words) and words[-1] + 1 == len(text.split())


def _looks(translator: BareTranslator) -> bool:
    try:
        return bool({"across", "row"} & set(kinds_of(translator.model).values()))
    except ConfigError:  # another engine, which does not show what it looks at
        return False
