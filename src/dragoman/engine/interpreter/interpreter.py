"""The segments of a file, translated with care and put together again."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from dragoman.data.documents.document import Answer, Segment, Stretch
from dragoman.data.documents.inline import carried
from dragoman.data.formats.accelerators import (
    Accelerator,
    with_accelerator,
    without_accelerator,
)
from dragoman.data.formats.protected import protected
from dragoman.engine.interpreter.aligned import word_links
from dragoman.engine.interpreter.portions import portions
from dragoman.engine.interpreter.sentences import Careful, Sentence, Told


@dataclass(frozen=True, slots=True)
class Interpreted:
    """The answer to a segment, and how it came about."""

    answer: Answer
    told: tuple[Told, ...]
    """Its sentences."""
    sources: tuple[str, ...]
    """What they were made of."""


@dataclass(frozen=True, slots=True)
class _Cut:
    """A segment cut into sentences."""

    segment: Segment
    parts: list[str]
    """White space and sentences, in turn."""
    sentences: tuple[Sentence, ...]
    accelerator: Accelerator | None


def interpret(
    careful: Careful, segments: Sequence[Segment], tell: Callable[[int], None] | None = None
) -> list[Interpreted]:
    """Translate segments, sentence by sentence; `tell` hears how many sentences are done."""
    whole = [careful.memory.recall(segment.text) for segment in segments]
    cuts = [
        _cut(segment, careful.longest) if known is None else None
        for segment, known in zip(segments, whole, strict=True)
    ]
    told = iter(careful([one for cut in cuts if cut for one in cut.sentences], tell))
    done: list[Interpreted] = []
    for segment, known, cut in zip(segments, whole, cuts, strict=True):
        if cut is None:
            text = known or ""
            done.append(Interpreted(_placed(segment, text, set()), (Told(text, "at once"),), ()))
        else:
            done.append(_joined(careful, cut, tuple(next(told) for _ in cut.sentences)))
    return done


def _cut(segment: Segment, longest: int) -> _Cut:
    plain = not segment.inlines and not segment.verbatim
    text, accelerator = without_accelerator(segment.text) if plain else (segment.text, None)
    solid = sorted([*segment.verbatim, *(Stretch(one.begin, one.end) for one in protected(text))])
    parts = portions(text, wrapped=segment.wrapped, solid=_apart(solid), longest=longest)
    begins = [0, *accumulate(map(len, parts))]
    sentences = tuple(
        Sentence(parts[place], _inside(segment.verbatim, begins[place], begins[place + 1]))
        for place in range(1, len(parts), 2)
    )
    return _Cut(segment, parts, sentences, accelerator)


def _joined(careful: Careful, cut: _Cut, told: tuple[Told, ...]) -> Interpreted:
    """Put the translated sentences where the sentences stood."""
    parts = list(cut.parts)
    parts[1::2] = [one.text for one in told]
    text = with_accelerator("".join(parts), cut.accelerator)
    links: set[tuple[int, int]] = set()
    if any(one.begin < one.end for one in cut.segment.inlines):
        links = _links(careful, cut, told)
    sources = tuple(one.text for one in cut.sentences)
    return Interpreted(_placed(cut.segment, text, links), told, sources)


def _links(careful: Careful, cut: _Cut, told: Sequence[Told]) -> set[tuple[int, int]]:
    """Return which words of the segment go with which of its translation."""
    pairs = [(one.text, other.text) for one, other in zip(cut.sentences, told, strict=True)]
    links: set[tuple[int, int]] = set()
    source, target = 0, 0
    for pair, found in zip(pairs, word_links(careful.translator, pairs), strict=True):
        links |= {(source + one, target + other) for one, other in found}
        source, target = source + len(pair[0].split()), target + len(pair[1].split())
    return links


def _placed(segment: Segment, text: str, links: set[tuple[int, int]]) -> Answer:
    return Answer(text, carried(segment.inlines, segment.text, text, links))


def _inside(stretches: Sequence[Stretch], begin: int, end: int) -> tuple[Stretch, ...]:
    """Return the stretches inside a part, counted from its beginning."""
    return tuple(
        Stretch(one.begin - begin, one.end - begin)
        for one in stretches
        if begin <= one.begin < one.end <= end
    )


def _apart(stretches: Sequence[Stretch]) -> list[Stretch]:
    """Join stretches that overlap."""
    joined: list[Stretch] = []
    for one in stretches:
        if joined and one.begin < joined[-1].end:
            joined[-1] = Stretch(joined[-1].begin, max(joined[-1].end, one.end))
        else:
            joined.append(one)
    return joined
