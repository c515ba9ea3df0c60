"""From a corpus to token numbers on disk, once per run; a resume finds them there."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from dragoman.config.batches import BatchSettings
from dragoman.config.corpus import CorpusSettings
from dragoman.config.recipe import Recipe
from dragoman.config.task import TranslationTaskSettings
from dragoman.core.console import progress_bar, say
from dragoman.core.errors import ConfigError
from dragoman.core.files import write_atomic
from dragoman.data.batching.arrays import check_ids
from dragoman.data.batching.batch import Batch, make_batch
from dragoman.data.batching.plan import epoch_plan
from dragoman.data.batching.store import TokenStore, write_store
from dragoman.data.corpus.corpus import Corpus, open_corpus
from dragoman.data.corpus.doctor.report import together
from dragoman.data.corpus.doctor.visit import kept_findings, visit
from dragoman.data.corpus.held_out import load_held_out, save_held_out
from dragoman.data.corpus.tags import written_languages
from dragoman.data.formats.pair import Pair
from dragoman.data.tokenizer.grow import grow_tokenizer_pair
from dragoman.data.tokenizer.pair import TokenizerPair
from dragoman.data.tokenizer.special_tokens import END
from dragoman.data.tokenizer.train import train_tokenizer_pair
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.tasks.common.fine_tuning import base_tokenizer
from dragoman.tasks.common.preparation import prepare_once

ENCODED_TOGETHER = 4096
MANY_UNKNOWN = 0.05


@dataclass(frozen=True)
class PreparedPairs:
    """Text, ready to train on."""

    tokenizer: TokenizerPair
    store: TokenStore
    valid: list[Pair]
    findings: list[str]

    @property
    def longest_source(self) -> int:
        """Tokens of the longest source that is trained on."""
        return int(self.store.source_lengths.max(initial=2))


def prepare(folder: RunFolder, recipe: Recipe) -> PreparedPairs:
    """Read, split and encode a corpus into the run folder, unless it is there already."""
    prepare_once(folder, recipe, lambda: _prepare(folder, recipe))
    held_out = load_held_out(folder.data)
    tokenizer, store = TokenizerPair.load(folder.tokenizer), TokenStore.open(folder.data, "train")
    most = max(tokenizer.source.size, tokenizer.target.size)
    check_ids(folder.data, "train", store.tokens, most)
    return PreparedPairs(
        tokenizer=tokenizer,
        store=store,
        valid=held_out.valid,
        findings=held_out.findings,
    )


def _prepare(folder: RunFolder, recipe: Recipe) -> None:
    chosen = recipe.corpus_for(TranslationTaskSettings)
    odd = _examined(folder, chosen)
    say("reading the corpus …")
    prepare_corpus(folder, recipe, open_corpus(chosen, recipe.seed), odd)


def prepare_corpus(
    folder: RunFolder, recipe: Recipe, corpus: Corpus, odd: Sequence[str] = ()
) -> None:
    """Learn a tokenizer from an open corpus and encode it; `odd` is what was found odd about it."""
    tokenizer = _tokenizer(recipe, recipe.corpus_for(TranslationTaskSettings), corpus)
    tokenizer.save(folder.tokenizer)
    with progress_bar("encoding", corpus.train_pairs) as bar:
        encoded = _encode(tokenizer, corpus.train(), bar.advance)
        write_store(folder.data, "train", encoded)
    notes = [*odd, *tokenizer.findings, *unknown_words(tokenizer, corpus.valid)]
    corpus.findings.extend(notes)
    save_held_out(corpus, folder.data)
    for finding in corpus.findings:
        say(f"  {finding}")
    say(
        f"{corpus.train_pairs:,} pairs to train on, {len(corpus.valid):,} to validate, "
        + ", ".join(f"{len(pairs):,} to test ({name})" for name, pairs in corpus.tests.items())
        + f"; vocabulary {tokenizer.source.size:,}"
        + ("" if tokenizer.shared else f" and {tokenizer.target.size:,}")
    )


def _examined(folder: RunFolder, corpus: CorpusSettings) -> list[str]:
    """Have the corpus examined; keep the report, and return what is kept though it looks odd."""
    reports = visit(corpus)
    if reports:
        told_all = json.dumps(together(reports).to_json(), indent=1, ensure_ascii=False)
        write_atomic(folder.doctor, told_all + "\n")
    return [line for report in reports for line in kept_findings(report)]


def _tokenizer(recipe: Recipe, chosen: CorpusSettings, corpus: Corpus) -> TokenizerPair:
    """Learn a tokenizer, or take that of the run that this one starts from."""
    if recipe.start is None:
        return train_tokenizer_pair(recipe.tokenizer, corpus.train(), corpus.train_pairs)
    before = base_tokenizer(recipe.start)
    if written_languages(chosen) and before.source.kind in ("imported", "sentencepiece"):
        raise ConfigError(
            f"start.from: {recipe.start.run} has an imported vocabulary, which has no tags for "
            "several languages. Train for one direction: corpus.both_ways = false."
        )
    more = recipe.start.new_tokens
    return grow_tokenizer_pair(before, corpus.train(), more) if more else before


def _encode(
    tokenizer: TokenizerPair, pairs: Iterable[Pair], advance: Any
) -> Iterator[tuple[list[int], list[int]]]:
    remaining = iter(pairs)
    while group := list(islice(remaining, ENCODED_TOGETHER)):
        sources = [tokenizer.encode_source(pair.source) for pair in group]
        targets = tokenizer.target.encode_batch([pair.target for pair in group])
        yield from zip(sources, targets, strict=True)
        advance(len(group))


def unknown_words(tokenizer: TokenizerPair, pairs: list[Pair]) -> list[str]:
    """Say how many tokens of unseen text the vocabulary does not know, and what helps if many."""
    found = []
    sides = (
        ("source", tokenizer.source, tokenizer.encode_source, 0),
        ("target", tokenizer.target, tokenizer.target.encode, 1),
    )
    for name, vocabulary, encode, side in sides:
        ids = [i for pair in pairs for i in encode(pair[side])]
        rate = vocabulary.unknown_rate(ids)
        if rate > 0:
            advice = "Raise tokenizer.vocab_size, or use tokenizer.kind = 'bpe'."
            found.append(
                f"{rate:.1%} of the {name} tokens in the validation set are unknown"
                + (f". {advice}" if rate > MANY_UNKNOWN else "")
            )
    return found


def validation_batches(
    tokenizer: TokenizerPair, pairs: list[Pair], settings: BatchSettings
) -> list[Batch]:
    """Gather held-out pairs into batches of similar length."""
    encoded = [
        (
            np.array([*tokenizer.encode_source(pair.source), END]),
            np.array([*tokenizer.target.encode(pair.target), END]),
        )
        for pair in pairs
    ]
    lengths = np.array([[len(source), len(target)] for source, target in encoded], dtype=np.int32)
    plan = epoch_plan(lengths[:, 0], lengths[:, 1], settings, 0, 0)
    return [make_batch([encoded[i] for i in plan[n]], plan[n]) for n in range(len(plan))]
