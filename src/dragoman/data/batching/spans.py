"""Cutting spans out of a text, which a network then writes (T5, Raffel et al. 2020, section 3.3).

text     thank you for inviting me to your party last week
source   thank you ｟31｠ me to your party ｟30｠ week END
target   ｟31｠ for inviting ｟30｠ last ｟29｠ END

Of n tokens round(15 % of n) are cut out, at least one and at most all but one, in spans of 3 on
average, at least one; spans do not touch. All lengths of spans and of what lies between them are
equally likely, as with T5. There, though, a text always begins with a token that stays and ends
with one that goes, which in short texts would always ask for the end; here spans lie anywhere.

Such a task is learned by the network of a translator, from the same stream: `SpanCorruption` makes
source and target of one text, others in every epoch, and `as_sources` shows texts to the stream.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from dragoman.config.task import SpansTaskSettings
from dragoman.data.batching.arrays import Ids
from dragoman.data.batching.seeded_random import Purpose, seeded_random
from dragoman.data.batching.store import TokenStore
from dragoman.data.batching.text_store import TextStore
from dragoman.data.formats.placeholders import COUNT, PROMPT_END
from dragoman.data.tokenizer.special_tokens import END, FIRST_PLACEHOLDER

Numbers = NDArray[np.int64]

LOW = 14
"""Placeholders below this one may stand in a text, but seldom do; this one hides a word."""

SENTINELS = tuple(
    FIRST_PLACEHOLDER + number
    for number in (*range(COUNT - 1, PROMPT_END, -1), *range(LOW - 1, -1, -1))
)
"""What stands for spans, from the last placeholder down: ｟31｠ to ｟17｠, then ｟13｠ to ｟0｠.

They are enough for 28 spans, as many as T5 cuts out of 568 tokens to make a source of 512."""


@dataclass(frozen=True, slots=True)
class SpanCounts:
    """The numbers of masked tokens and of spans in a text."""

    length: int
    noise: int
    spans: int

    @property
    def source(self) -> int:
        """Tokens of the source: what stays, a sentinel for each span, END."""
        return self.length - self.noise + self.spans + 1

    @property
    def target(self) -> int:
        """Tokens of the target: what goes, a sentinel before each span and after the last, END."""
        return self.noise + self.spans + 2


def count_spans(length: int, task: SpansTaskSettings, most: int) -> SpanCounts:
    """Return T5's numbers for a text; there are no more spans than `most`, only longer ones."""
    if length < 2:
        return SpanCounts(length, 0, 0)
    noise = min(max(round(length * task.noise_density), 1), length - 1)
    spans = min(max(round(noise / task.mean_span_length), 1), length - noise + 1, most)
    return SpanCounts(length, noise, spans)


def corrupt(
    text: Ids,
    task: SpansTaskSettings,
    random: np.random.Generator,
    sentinels: Sequence[int] = SENTINELS,
    end: int = END,
) -> tuple[Numbers, Numbers]:
    """Cut spans out of a text; return what is left and what was cut out, each with its END.

    A sentinel that stands in the text itself is not used; one token alone is left as it is.
    """
    ids: list[int] = text.tolist()
    inside = set(ids)
    free = [mark for mark in sentinels if mark not in inside]
    marks = free if len(free) > 1 else list(sentinels)
    counts = count_spans(len(ids), task, len(marks) - 1)
    kept = _parted(counts.length - counts.noise + 2, counts.spans + 1, random)
    kept[0] -= 1  # a span may be the first thing, or the last
    kept[-1] -= 1
    source, target = ids[: kept[0]], [marks[0]]
    place = kept[0]
    gone = _parted(counts.noise, counts.spans, random)
    for number, (cut, stays) in enumerate(zip(gone, kept[1:], strict=True)):
        target += [*ids[place : place + cut], marks[number + 1]]
        place += cut
        source += [marks[number], *ids[place : place + stays]]
        place += stays
    return np.array([*source, end], np.int64), np.array([*target, end], np.int64)


def read_spans(
    target: Iterable[int], sentinels: Sequence[int] = SENTINELS, end: int = END
) -> dict[int, list[int]]:
    """Return what stands after each sentinel, in their order; twice the same goes on with it."""
    marks = set(sentinels)
    spans: dict[int, list[int]] = {}
    span: list[int] = []
    for number in target:
        if number == end:
            break
        if number in marks:
            span = spans.setdefault(number, [])
        else:
            span.append(number)
    return spans


def restore(
    source: Ids, target: Ids, sentinels: Sequence[int] = SENTINELS, end: int = END
) -> list[int]:
    """Put spans back where their sentinels stand, of a text that holds no sentinels itself.

    A network may write anything: a span that it leaves out is empty, and what it writes before the
    first sentinel or after END is lost.
    """
    marks, spans = set(sentinels), read_spans(target.tolist(), sentinels, end)
    text: list[int] = []
    for number in source.tolist():
        if number == end:
            break
        text += spans.get(number, []) if number in marks else [number]
    return text


class SpanCorruption:
    """The changes of a `BatchStream` whose sources are texts: new source and target each epoch.

    Chance depends on seed, epoch and example alone, so a resumed run sees the same spans.
    """

    def __init__(
        self,
        task: SpansTaskSettings,
        examples: int,
        seed: int,
        *,
        sentinels: Sequence[int] = SENTINELS,
        end: int = END,
    ) -> None:
        if len(sentinels) < 2:
            raise ValueError("at least two sentinels are needed: before a span, and after it.")
        self.task = task
        self.examples = examples
        self.seed = seed
        self.sentinels = sentinels
        self.end = end

    def __call__(self, source: Ids, target: Ids, epoch: int, example: int) -> tuple[Ids, Ids]:
        """Return what an epoch makes of a text, which is the source with or without its END."""
        text = source[:-1] if len(source) and source[-1] == self.end else source
        random = seeded_random(Purpose.SPANS, self.seed, epoch, example)
        return corrupt(text, self.task, random, self.sentinels, self.end)

    def changed(self, epoch: int) -> NDArray[np.intp]:
        """Return the examples that are changed in an epoch: all of them."""
        return np.arange(self.examples)


def as_sources(store: TextStore, task: SpansTaskSettings, longest: int) -> TokenStore:
    """Show texts as the sources of examples without targets, for spans to be cut out of them.

    A document is cut evenly into texts of which neither side becomes longer than `longest`.
    """
    starts = np.asarray(store.starts, dtype=np.int64)
    begins, lengths = starts[:-1], np.diff(starts)
    most = longest_text(task, longest)
    parts = np.where(lengths < 2, 0, -(-lengths // most))  # nothing is cut out of a single token
    number: Numbers = np.arange(parts.sum()) - np.repeat(np.cumsum(parts) - parts, parts)
    whole, share = np.repeat(lengths, parts), np.repeat(parts, parts)
    first, last = whole * number // share, whole * (number + 1) // share
    return TokenStore(
        tokens=store.tokens,
        starts=np.repeat(begins, parts) + first,
        source_lengths=last - first,
        target_lengths=np.zeros_like(first),
    )


def longest_text(task: SpansTaskSettings, longest: int, sentinels: int = len(SENTINELS)) -> int:
    """Return how long a text may be for its source and target to have at most `longest` tokens."""
    length = 1
    while True:
        more = count_spans(length + 1, task, sentinels - 1)
        if max(more.source, more.target) > longest:
            return length
        length += 1


def _parted(items: int, parts: int, random: np.random.Generator) -> list[int]:
    """Draw lengths of at least one for some parts of items; all ways to part them are as likely."""
    if parts == 0:
        return []
    cuts = [0, *sorted((random.permutation(items - 1)[: parts - 1] + 1).tolist()), items]
    return [after - before for before, after in pairwise(cuts)]
