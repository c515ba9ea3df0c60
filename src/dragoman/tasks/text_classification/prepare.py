"""From labelled texts to token numbers on disk, once per run; a resume finds them there."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

import numpy as np

from dragoman.config.recipe import Recipe
from dragoman.config.task import ClassificationTaskSettings
from dragoman.core.console import progress_bar, say
from dragoman.data.batching.labeled import AROUND
from dragoman.data.batching.store import TokenStore, write_store
from dragoman.data.corpus.held_out_labeled import load_held_out_labeled, save_held_out_labeled
from dragoman.data.corpus.labeled import LabeledTexts, open_labeled
from dragoman.data.formats.labeled import LabeledText
from dragoman.data.tokenizer.pair import TokenizerPair
from dragoman.data.tokenizer.tokenizer import Tokenizer
from dragoman.data.tokenizer.train import train_tokenizer
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.tasks.common.fine_tuning import base_tokenizer
from dragoman.tasks.common.preparation import prepare_once

TOGETHER = 4096


@dataclass(frozen=True)
class PreparedLabeled:
    """Labelled texts, ready to train on."""

    tokenizer: Tokenizer
    store: TokenStore
    """The tokens of each text, and the number of its class."""

    classes: dict[str, int]
    """How many rows of each class are trained on; a class's number is its turn."""

    valid: list[LabeledText]


def prepare_labeled(folder: RunFolder, recipe: Recipe) -> PreparedLabeled:
    """Read, split and encode labelled texts into the run folder, unless they are there already."""
    prepare_once(folder, recipe, lambda: _prepare(folder, recipe))
    held_out = load_held_out_labeled(folder.data)
    return PreparedLabeled(
        tokenizer=TokenizerPair.load(folder.tokenizer).source,
        store=TokenStore.open(folder.data, "train"),
        classes=held_out.classes,
        valid=held_out.valid,
    )


def _prepare(folder: RunFolder, recipe: Recipe) -> None:
    say("reading the texts …")
    texts = open_labeled(recipe.corpus_for(ClassificationTaskSettings), recipe.seed)
    tokenizer = _tokenizer(recipe, texts)
    TokenizerPair(tokenizer, tokenizer).save(folder.tokenizer)
    numbers = {label: number for number, label in enumerate(texts.classes)}
    with progress_bar("encoding", texts.train_rows) as bar:
        encoded = _encode(tokenizer, numbers, texts.train(), bar.advance)
        store = write_store(folder.data, "train", encoded)
    longest = recipe.batches.max_length
    if cut := int(np.count_nonzero(store.source_lengths - 1 + AROUND > longest)):
        texts.findings.append(f"{cut:,} texts are cut: longer than batches.max_length = {longest}")
    save_held_out_labeled(texts, folder.data)
    for finding in texts.findings:
        say(f"  {finding}")
    say(
        f"{texts.train_rows:,} texts to train on, {len(texts.valid):,} to validate, "
        f"{len(texts.test):,} to test; vocabulary {tokenizer.size:,}"
    )


def _tokenizer(recipe: Recipe, texts: LabeledTexts) -> Tokenizer:
    """Learn a vocabulary, or take that of the run that this one starts from."""
    if recipe.start is not None:
        return base_tokenizer(recipe.start).source
    lines = (row.text for row in texts.train())
    return train_tokenizer(recipe.tokenizer, lines, texts.findings)


def _encode(
    tokenizer: Tokenizer,
    numbers: Mapping[str, int],
    rows: Iterable[LabeledText],
    advance: Callable[[int], None],
) -> Iterator[tuple[list[int], list[int]]]:
    remaining = iter(rows)
    while group := list(islice(remaining, TOGETHER)):
        encoded = tokenizer.encode_batch([row.text for row in group])
        for ids, row in zip(encoded, group, strict=True):
            yield ids, [numbers[row.label]]
        advance(len(group))
