"""The segments of a file through the translation pipeline, put together again."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from dragoman.data.documents.document import Segment, SegmentTranslation
from dragoman.data.documents.inline import place_inlines
from dragoman.data.formats.accelerators import Accelerator, with_accelerator, without_accelerator
from dragoman.pipeline.repetition import replace_looping_sentences
from dragoman.pipeline.sentence_splitting import ProtectedSentence, split_text
from dragoman.pipeline.sentences import SentencePipeline, TranslatedSentence
from dragoman.pipeline.term_forms import TermCounts
from dragoman.pipeline.text_warnings import TextWarning
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
    warnings: tuple[TextWarning, ...] = ()
    """What speaks against the answer, one of a kind."""

    @property
    def terms(self) -> TermCounts:
        """The counts of its glossary terms by what became of them."""
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
    """White space, with list marks, and sentences, in turn."""
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
    split = split_text(
        text,
        segment.verbatim,
        wrapped=segment.wrapped,
        longest=pipeline.longest,
        seam=pipeline.seam,
    )
    return _Cut(segment, split.parts, split.sentences, accelerator)


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
        else replace(
            one, text=text, how="in parts", translation=None, terms=one.terms.all_refused()
        )
        for one, text in zip(told, parts[1::2], strict=True)
    )
    text = with_accelerator("".join(parts), cut.accelerator)
    links: set[tuple[int, int]] = set()
    if any(one.begin < one.end for one in cut.segment.inlines):
        links = _links(pipeline, cut, told)
    sources = tuple(one.text for one in cut.sentences)
    answer, gaps = _placed(cut.segment, text, links), tuple(parts[0::2])
    return SegmentResult(answer, told, sources, gaps, _warnings(pipeline, cut, told))


def _warnings(
    pipeline: SentencePipeline, cut: _Cut, told: Sequence[TranslatedSentence]
) -> tuple[TextWarning, ...]:
    """Return the warnings of the sentences; the whole says more of its language than a part."""
    found = [warning for one in told for warning in one.warnings]
    if pipeline.domain and len(told) > 1 and all(one.kind == "domain" for one in found):
        whole = pipeline.domain.check(cut.segment.text)
        found = [whole, *found] if whole and whole.kind == "language" else found
    return tuple({one.kind: one for one in reversed(found)}.values())[::-1]


def _links(
    pipeline: SentencePipeline, cut: _Cut, told: Sequence[TranslatedSentence]
) -> set[tuple[int, int]]:
    """Return which words of the segment go with which of its translation."""
    pairs = [(one.text, other.text) for one, other in zip(cut.sentences, told, strict=True)]
    links: set[tuple[int, int]] = set()
    source, target = 0, 0
    found = word_links(pipeline.translator, pairs)
    for gap, pair, own in zip(cut.parts[::2], pairs, found, strict=False):
        marks = len(gap.split())
        source, target = source + marks, target + marks
        links |= {(source + one, target + other) for one, other in own}
        source, target = source + len(pair[0].split()), target + len(pair[1].split())
    return links


def _placed(segment: Segment, text: str, links: set[tuple[int, int]]) -> SegmentTranslation:
    return SegmentTranslation(text, place_inlines(segment.inlines, segment.text, text, links))
