"""The segments of a file through the translation pipeline, put together again."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from dragoman.data.documents.document import Segment, SegmentTranslation, TextSpan
from dragoman.data.documents.inline import place_inlines
from dragoman.data.formats.accelerators import Accelerator, with_accelerator, without_accelerator
from dragoman.data.formats.protected_spans import protected_spans
from dragoman.pipeline.repetition import replace_looping_sentences
from dragoman.pipeline.sentence_splitting import portions
from dragoman.pipeline.sentences import ProtectedSentence, SentencePipeline, TranslatedSentence
from dragoman.pipeline.term_forms import TermCounts
from dragoman.pipeline.text_spans import merge_spans
from dragoman.pipeline.word_alignment import word_links
from dragoman.tasks.translation.requests import Coroutine, run_coroutine


@dataclass(frozen=True, slots=True)
class SegmentResult:
    """The answer to a segment, and how it came about."""

    answer: SegmentTranslation
    told: tuple[TranslatedSentence, ...]
    """Its sentences."""
    sources: tuple[str, ...]
    """What they were made of."""
    gaps: tuple[str, ...] = ("", "")
    """What stands before, between and after them."""

    @property
    def terms(self) -> TermCounts:
        """Counts of its glossary terms by outcome."""
        return sum((one.terms for one in self.told), TermCounts())

    def put(self, sentences: Sequence[str]) -> str:
        """Put other sentences where these stand."""
        between = zip(self.gaps, [*sentences, ""], strict=True)
        return "".join(part for both in between for part in both)


@dataclass(frozen=True, slots=True)
class _Cut:
    """A segment cut into sentences."""

    segment: Segment
    parts: list[str]
    """White space and sentences, in turn."""
    sentences: tuple[ProtectedSentence, ...]
    accelerator: Accelerator | None


def translate_segments(
    pipeline: SentencePipeline, segments: Sequence[Segment]
) -> list[SegmentResult]:
    """Translate segments, sentence by sentence."""
    return run_coroutine(pipeline.translator, request_segments(pipeline, segments))


def request_segments(
    pipeline: SentencePipeline, segments: Sequence[Segment]
) -> Coroutine[list[SegmentResult]]:
    """Translate segments, asking for the translations of their sentences."""
    whole = [pipeline.memory.recall(segment.text) for segment in segments]
    cuts = [
        _cut(segment, pipeline) if known is None else None
        for segment, known in zip(segments, whole, strict=True)
    ]
    sentences = [one for cut in cuts if cut for one in cut.sentences]
    told = iter((yield from pipeline.request_translations(sentences)))
    done: list[SegmentResult] = []
    for segment, known, cut in zip(segments, whole, cuts, strict=True):
        if cut is None:
            text = known or ""
            done.append(
                SegmentResult(
                    _placed(segment, text, set()), (TranslatedSentence(text, "at once"),), ()
                )
            )
        else:
            done.append(_joined(pipeline, cut, tuple(next(told) for _ in cut.sentences)))
    return done


def _cut(segment: Segment, pipeline: SentencePipeline) -> _Cut:
    plain = not segment.inlines and not segment.verbatim
    text, accelerator = without_accelerator(segment.text) if plain else (segment.text, None)
    solid = merge_spans([*segment.verbatim, *protected_spans(text)])
    parts = portions(
        text, wrapped=segment.wrapped, solid=solid, longest=pipeline.longest, seam=pipeline.seam
    )
    inside = _inside(segment.verbatim, [0, *accumulate(map(len, parts))])
    sentences = tuple(
        ProtectedSentence(parts[place], tuple(inside.get(place, ())))
        for place in range(1, len(parts), 2)
    )
    return _Cut(segment, parts, sentences, accelerator)


def _joined(
    pipeline: SentencePipeline, cut: _Cut, told: tuple[TranslatedSentence, ...]
) -> SegmentResult:
    """Put the translated sentences where the sentences stood.

    Sentences that are well by themselves may make a loop together; some of them stay untranslated
    then.
    """
    parts = replace_looping_sentences(cut.parts, [one.text for one in told])
    told = tuple(
        one
        if one.text == text
        else TranslatedSentence(text, "in parts", terms=one.terms.all_refused())
        for one, text in zip(told, parts[1::2], strict=True)
    )
    text = with_accelerator("".join(parts), cut.accelerator)
    links: set[tuple[int, int]] = set()
    if any(one.begin < one.end for one in cut.segment.inlines):
        links = _links(pipeline, cut, told)
    sources = tuple(one.text for one in cut.sentences)
    return SegmentResult(_placed(cut.segment, text, links), told, sources, tuple(parts[0::2]))


def _links(
    pipeline: SentencePipeline, cut: _Cut, told: Sequence[TranslatedSentence]
) -> set[tuple[int, int]]:
    """Return which words of the segment go with which of its translation."""
    pairs = [(one.text, other.text) for one, other in zip(cut.sentences, told, strict=True)]
    links: set[tuple[int, int]] = set()
    source, target = 0, 0
    for pair, found in zip(pairs, word_links(pipeline.translator, pairs), strict=True):
        links |= {(source + one, target + other) for one, other in found}
        source, target = source + len(pair[0].split()), target + len(pair[1].split())
    return links


def _placed(segment: Segment, text: str, links: set[tuple[int, int]]) -> SegmentTranslation:
    return SegmentTranslation(text, place_inlines(segment.inlines, segment.text, text, links))


def _inside(stretches: Sequence[TextSpan], begins: Sequence[int]) -> dict[int, list[TextSpan]]:
    """Return the stretches inside each part that has any, counted from its beginning."""
    found: dict[int, list[TextSpan]] = {}
    for one in stretches:
        part = bisect_right(begins, one.begin) - 1
        if one.begin < one.end <= begins[part + 1]:
            places = found.setdefault(part, [])
            places.append(TextSpan(one.begin - begins[part], one.end - begins[part]))
    return found
