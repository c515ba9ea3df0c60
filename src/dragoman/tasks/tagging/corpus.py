"""Tagged sentences: what is trained on, and what is held out to judge it.

A sentence that stands in a file twice, with the same labels, is read once. Which sentences are held
out depends on the seed and on their words, not on their order; all that have the same words stay in
one set, so that no sentence that is trained on is ever tested.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dragoman.config.tagging import GeneratedTags, TaggedCorpus, TaggedSettings
from dragoman.core.errors import DataError, nearest
from dragoman.data.corpus.random_order import in_random_order
from dragoman.data.corpus.split import DROPPED, LEAKED, TEST, TRAIN, VALID, Hashes, among, repeats
from dragoman.data.corpus.stratified import Sets, hold_out
from dragoman.data.formats.findings import Findings
from dragoman.data.formats.pair import Pair
from dragoman.tasks.tagging.generated import draw_tagged
from dragoman.tasks.tagging.sentences import PlacedSentence, TaggedSentence, read_sentences

MOST_LABELS = 1000
"""Labels beyond which a column is hardly one of labels."""

NAMED = 20
"""Labels up to which each is named with its size."""


@dataclass(frozen=True)
class TaggedSentences:
    """Sentences to train on, read as they are needed; held-out sentences, in memory."""

    train: Callable[[], Iterator[TaggedSentence]]
    """Begins a new pass over the training sentences; every pass has the same order."""

    labels: dict[str, int]
    """How many training words have each label, in alphabetical order."""

    lexicon: dict[str, str]
    """The most frequent label of each word that is trained on: the baseline of a dictionary."""

    train_sentences: int
    valid: list[TaggedSentence]
    """In random order, like that of pairs."""

    test: list[TaggedSentence]
    findings: list[str]
    seed: int
    files: tuple[Path, ...] = ()


def open_tagged(settings: TaggedSettings, seed: int) -> TaggedSentences:
    """Clean and split tagged sentences; the same settings and seed give the same sets.

    A seed in the settings comes before the given one, which is the recipe's.
    """
    chosen = seed if settings.seed is None else settings.seed
    if isinstance(settings, TaggedCorpus):
        return _open_files(settings, chosen)
    return _open_generated(settings, chosen)


def check_known(sentences: Sequence[PlacedSentence], labels: Collection[str]) -> None:
    """Refuse a label that the training files do not have."""
    for one in sentences:
        for line, label in enumerate(one.sentence.labels, one.line):
            if label not in labels:
                hint = nearest(label, list(labels)[:NAMED])
                raise DataError(
                    f"{one.path}:{line}: the label {label!r} stands in no training file. {hint}"
                )


def _open_generated(settings: GeneratedTags, seed: int) -> TaggedSentences:
    train, valid, test = draw_tagged(settings, seed)
    counts = _Counts()
    for one in train:
        counts.add(one)
    labels = counts.labels(
        {label for part in (train, valid, test) for one in part for label in one.labels}
    )
    return TaggedSentences(
        train=lambda: iter(train),
        labels=labels,
        lexicon=counts.lexicon(),
        train_sentences=len(train),
        valid=valid,
        test=test,
        findings=[_sizes(labels)],
        seed=seed,
    )


class _Counts:
    """How often each label stands in the training set, and at which words."""

    def __init__(self) -> None:
        self.sentences = 0
        self._words: dict[str, Counter[str]] = {}

    def add(self, sentence: TaggedSentence) -> None:
        """Count the words of a sentence."""
        self.sentences += 1
        for word, label in zip(*sentence, strict=True):
            self._words.setdefault(word, Counter())[label] += 1

    def labels(self, known: Collection[str]) -> dict[str, int]:
        """Return how many words have each of the known labels, in alphabetical order."""
        whole: Counter[str] = Counter()
        for counts in self._words.values():
            whole.update(counts)
        return {label: whole[label] for label in sorted(known)}

    def lexicon(self) -> dict[str, str]:
        """Return the most frequent label of each word; of equals, the first by alphabet."""
        return {
            word: min(counts, key=lambda label: (-counts[label], label))
            for word, counts in sorted(self._words.items())
        }


def _open_files(settings: TaggedCorpus, seed: int) -> TaggedSentences:
    findings = Findings()
    own = {
        VALID: _given(settings, settings.valid, findings),
        TEST: _given(settings, settings.test, findings),
    }
    hashes = Hashes(seed)
    known = _index(settings, hashes, findings)
    for given in own.values():
        check_known(given or (), known)
    sets, words = _split(settings, hashes, own)
    held = {which: [one.sentence for one in given or ()] for which, given in own.items()}
    counts = _Counts()
    for which, sentence in zip(sets.tolist(), _read_again(settings), strict=True):
        if which == TRAIN:
            counts.add(sentence)
        elif own.get(which, ()) is None:
            held[which].append(sentence)
    labels = counts.labels(known)
    files = (settings.train, settings.valid or (), settings.test or ())
    return TaggedSentences(
        train=lambda: _chosen(settings, sets),
        labels=labels,
        lexicon=counts.lexicon(),
        train_sentences=counts.sentences,
        valid=in_random_order(held[VALID], seed, lambda one: one.text),
        test=held[TEST],
        findings=[*findings.lines(), *words, _sizes(labels)],
        seed=seed,
        files=tuple(dict.fromkeys(path for part in files for path in part)),
    )


def _read_again(settings: TaggedCorpus) -> Iterator[TaggedSentence]:
    for one in read_sentences(settings.train, repair=settings.repair, findings=Findings()):
        yield one.sentence


def _given(
    settings: TaggedCorpus, files: Sequence[Path] | None, findings: Findings
) -> list[PlacedSentence] | None:
    if files is None:
        return None
    found = list(read_sentences(files, repair=settings.repair, findings=findings))
    if not found:
        raise DataError(f"{files[0]}: holds no tagged sentence. Give some, or leave it out.")
    return found


def _index(settings: TaggedCorpus, hashes: Hashes, findings: Findings) -> set[str]:
    """Hash all sentences of the training files; return their labels, held out or not."""
    known: set[str] = set()
    for one in read_sentences(settings.train, repair=settings.repair, findings=findings):
        hashes.add(Pair(one.sentence.text, "\t".join(one.sentence.labels)))
        for line, label in enumerate(one.sentence.labels, one.line):
            known.add(label)
            if len(known) > MOST_LABELS:
                raise DataError(
                    f"{one.path}:{line}: {label[:40]!r} is label number {len(known):,}; limit: "
                    f"{MOST_LABELS:,}. Is this the column of the labels?"
                )
    if not known:
        raise DataError(f"{settings.train[0]}: holds no tagged sentence to train on.")
    if len(known) == 1:
        raise DataError(
            f"{settings.train[0]}: {known.pop()!r} is the label of every word. "
            "A tagger needs two labels or more."
        )
    return known


def _split(
    settings: TaggedCorpus, hashes: Hashes, own: Mapping[int, list[PlacedSentence] | None]
) -> tuple[Sets, list[str]]:
    """Decide the set of each sentence; return with it what there is to say about that."""
    texts = hashes.sources
    sets = np.full(len(texts), TRAIN, dtype=np.uint8)
    sets[repeats(hashes.pairs)] = DROPPED
    held = hashes.of_all(one.sentence.text for given in own.values() for one in given or ())
    sets[among(texts, held) & (sets == TRAIN)] = LEAKED
    wanted = [which for which, given in own.items() if given is None]
    alike = np.zeros(len(texts), dtype=np.uint16)  # of sentences there is one class only
    sets = hold_out(texts, alike, sets, wanted, settings.held_out)
    if any(which not in sets for which in (TRAIN, *wanted)):
        raise DataError(
            f"{settings.train[0]}: too few different sentences to train on and to hold some out. "
            "Give more, or files of your own as corpus.valid and corpus.test."
        )
    told = {
        DROPPED: "sentences dropped: the same words and labels stand earlier",
        LEAKED: "sentences dropped from training: the same words are held out",
        VALID: "sentences held out for the validation set",
        TEST: "sentences held out for the test set",
    }
    counts = {which: int(np.count_nonzero(sets == which)) for which in told}
    return sets, [f"{counts[which]:,} {words}" for which, words in told.items() if counts[which]]


def _chosen(settings: TaggedCorpus, sets: Sets) -> Iterator[TaggedSentence]:
    for which, sentence in zip(sets.tolist(), _read_again(settings), strict=True):
        if which == TRAIN:
            yield sentence


def _sizes(labels: Mapping[str, int]) -> str:
    """Say how many labels there are, and how many words each has."""
    by_size = sorted(labels.items(), key=lambda item: (-item[1], item[0]))
    told = [f"{label} {count:,}" for label, count in by_size]
    if len(told) > NAMED:
        told = [*told[: NAMED // 2], "…", told[-1]]
    return f"{len(labels):,} labels to train on: {', '.join(told)}"
