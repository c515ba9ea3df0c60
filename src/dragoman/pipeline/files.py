"""A whole file translated: which of its texts, with what doubts, and what became of each."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace

from dragoman.data.documents.document import Document, Segment, SegmentTranslation
from dragoman.data.formats.text_stream import MAX_LINE_BYTES
from dragoman.pipeline.confidence import Confidence
from dragoman.pipeline.segments import SegmentResult, translate_segments
from dragoman.pipeline.sentences import SentencePipeline, TranslatedSentence
from dragoman.pipeline.text_warnings import SHOWN, PlacedWarning

TOGETHER = 400
"""Texts translated together: enough for good batches, little enough to see it move."""


@dataclass(frozen=True)
class FileRequest:
    """A request to translate a file."""

    everything: bool = False
    """Also what has a translation already."""
    least: float = 0.0
    """The least confidence to rely on an answer."""
    earlier: Mapping[str, str] | None = None
    """Translations by the key of their text, from an earlier translation of the same file."""


@dataclass(frozen=True)
class FileReport:
    """The report on a translated file: counts of its texts by outcome."""

    texts: int = 0
    translated: int = 0
    kept: int = 0
    """Had a translation, and keep it."""
    recalled: int = 0
    """Known from the memory."""
    unsure: int = 0
    """Below the least confidence, and so marked or left as they were."""
    insisted: int = 0
    """Lost something at first, and were searched again with all that must survive insisted on."""
    in_parts: int = 0
    """Lost something twice, or came out far too short, and were translated part by part."""
    placed: int = 0
    """Terms of the glossary that stand in the translation as they are spelled there."""
    inflected: int = 0
    """Terms that stand there in another form of theirs."""
    refused: int = 0
    """Terms for which no translation that keeps the sentence whole has a place."""
    too_long: tuple[str, ...] = ()
    """Where texts stand that are longer than any line may be; they are left as they are."""
    warned: int = 0
    """Unlike what the model was trained on."""
    warnings: tuple[PlacedWarning, ...] = ()
    """The first of these, with where they stand."""

    def __add__(self, other: "FileReport") -> "FileReport":
        names = [one.name for one in fields(self)]
        both = FileReport(*(getattr(self, name) + getattr(other, name) for name in names))
        return replace(both, warnings=both.warnings[:SHOWN])


def translate_document(
    document: Document,
    pipeline: SentencePipeline,
    request: FileRequest,
    confidence: Confidence | None = None,
    tell: Callable[[int], None] | None = None,
) -> tuple[bytes, FileReport]:
    """Return the file translated, and what became of its texts; `tell` hears of texts done."""
    segments = document.segments
    answers = _earlier(segments, request)
    wanted = [
        number
        for number, segment in enumerate(segments)
        if number not in answers and (request.everything or not segment.existing)
    ]
    opened = [number for number in wanted if len(segments[number].text) <= MAX_LINE_BYTES]
    too_long = [number for number in wanted if len(segments[number].text) > MAX_LINE_BYTES]
    report = FileReport(
        texts=len(segments),
        kept=len(segments) - len(wanted),
        too_long=tuple(segments[number].where for number in too_long),
    )
    if tell:
        tell(len(segments) - len(opened))
    for begin in range(0, len(opened), TOGETHER):
        numbers = opened[begin : begin + TOGETHER]
        found = translate_segments(pipeline, [segments[number] for number in numbers])
        for number, one in zip(numbers, found, strict=True):
            sure = confidence is None or segment_confidence(one, confidence) >= request.least
            answers[number] = replace(one.answer, sure=sure, anew=request.everything)
            report += _counted(one, sure, segments[number].where)
        if tell:
            tell(len(numbers))
    return document.written(answers), report


def segment_confidence(one: SegmentResult, confidence: Confidence) -> float:
    """Return how likely a text is translated well: as its weakest sentence."""
    if not one.sources:
        return 1.0
    return min((sentence_confidence(told, confidence) for told in one.told), default=1.0)


def sentence_confidence(told: TranslatedSentence, confidence: Confidence) -> float:
    """Return how likely a sentence is translated well.

    What is known by heart is certain; what had to be translated in parts is not to be relied on.
    """
    if told.how == "in parts":
        return 0.0
    return 1.0 if told.translation is None else confidence.of(told.shown, told.translation)


def _earlier(segments: Sequence[Segment], request: FileRequest) -> dict[int, SegmentTranslation]:
    """Take over what an earlier translation of the file has, by its keys."""
    if request.everything or not request.earlier:
        return {}
    found = (
        (number, segment, request.earlier.get(segment.key))
        for number, segment in enumerate(segments)
    )
    return {
        number: SegmentTranslation(text)
        for number, segment, text in found
        if segment.key and text and text != segment.text
    }


def _counted(one: SegmentResult, sure: bool, where: str) -> FileReport:
    hows = [told.how for told in one.told]
    return FileReport(
        translated=int(sure),
        unsure=int(not sure),
        recalled=int(not one.sources),
        insisted=int("insisted" in hows),
        in_parts=int("in parts" in hows),
        placed=one.terms.placed,
        inflected=one.terms.inflected,
        refused=one.terms.refused,
        warned=int(bool(one.warnings)),
        warnings=tuple((where, warning) for warning in one.warnings[:1]),
    )
