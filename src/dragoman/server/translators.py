"""A translator that is served: texts of many requests, translated with care and together."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from dragoman.backends.torch_engine import TorchEngine
from dragoman.config.serving import ServingSettings
from dragoman.data.corpus.tags import Direction, directions, written_languages
from dragoman.data.documents.document import Segment
from dragoman.data.formats.languages import LanguagePair
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.pipeline.confidence import Confidence
from dragoman.pipeline.files import sentence_confidence
from dragoman.pipeline.load import PipelineOptions, load_pipeline
from dragoman.pipeline.segments import SegmentResult, request_segments
from dragoman.pipeline.sentences import (
    Alternative,
    ProtectedSentence,
    SentencePipeline,
    TranslatedSentence,
)
from dragoman.server.scheduler.batching import EVERY_TEXT, BatchLane
from dragoman.server.scheduler.continuous_batching import FlowLane
from dragoman.server.scheduler.queue import QueuedLane
from dragoman.server.scheduler.worker_thread import Engine
from dragoman.tasks.translation.attention import kinds_of
from dragoman.tasks.translation.continuous_batching import TranslatorFlow
from dragoman.tasks.translation.requests import Asking, ask
from dragoman.tasks.translation.translator import Translator


@dataclass(frozen=True, slots=True)
class ServedTranslation:
    """The translation of a text, and other ways to put it."""

    interpreted: SegmentResult
    alternatives: tuple[tuple[Alternative, ...], ...] = ()
    """Of each sentence, the likeliest first, without the one that was chosen."""

    @property
    def text(self) -> str:
        """The translation."""
        return self.interpreted.answer.text

    def other(self, rank: int) -> str:
        """Return another translation: of each sentence that of a rank, where it has one."""
        texts = [
            others[rank].text if rank < len(others) else told.text
            for told, others in zip(self.interpreted.told, self.alternatives, strict=True)
        ]
        return self.interpreted.put(texts)


@dataclass(frozen=True, slots=True)
class TranslationOptions:
    """What texts of one pass have in common."""

    to: str
    alternatives: int = 0


Lane = QueuedLane[Segment, ServedTranslation]


@dataclass(frozen=True)
class ServedTranslator:
    """A run that translates, with its places in the engine's work."""

    name: str
    folder: RunFolder
    translator: Translator
    ways: tuple[Direction, ...]
    """Which languages it translates between."""
    careful: dict[str, SentencePipeline]
    """Who translates with care, by the language that is written."""
    confidence: Confidence | None
    lane: Lane
    """Where texts wait that somebody waits for."""
    file_lane: Lane
    """Where the texts of files wait, so that they do not keep people waiting."""

    def wanted(self, to: str) -> LanguagePair:
        """Return the languages of a translation into one of them."""
        return LanguagePair(*next(way for way in self.ways if way[1] == to))

    def sure_of(self, told: TranslatedSentence) -> float | None:
        """Return how likely a sentence is translated well, where the run has learned to tell."""
        return None if self.confidence is None else sentence_confidence(told, self.confidence)

    @cached_property
    def attention(self) -> bool:
        """Whether there is anything to see of what the network looks at."""
        if not isinstance(self.translator.engine, TorchEngine):
            return False
        return bool({"across", "row"} & set(kinds_of(self.translator.model).values()))

    @cached_property
    def parameters(self) -> int:
        """How many numbers the network is made of; 0 where another engine keeps them."""
        if not isinstance(self.translator.engine, TorchEngine):
            return 0
        return sum(one.numel() for one in self.translator.model.parameters())


def load_translator(
    name: str, folder: RunFolder, engine: Engine, settings: ServingSettings
) -> ServedTranslator:
    """Load a translator, and give it its lanes."""
    translator = Translator.load(folder.path, engine=settings.engine)
    ways = _ways(translator)
    tagged = translator.corpus is not None and bool(written_languages(translator.corpus))
    care = {
        to: load_pipeline(folder.path, translator, PipelineOptions(to=to if tagged else None))
        for to in dict.fromkeys(way[1] for way in ways)
    }

    def begin(key: Hashable, segments: Sequence[Segment]) -> Asking[list[ServedTranslation]]:
        wish = key if isinstance(key, TranslationOptions) else TranslationOptions(ways[0][1])
        return translating(care[wish.to], segments, wish.alternatives)

    def lane(most_waiting: int) -> Lane:
        flow = TranslatorFlow.of(translator, settings.max_batch_sentences)
        if flow is None:
            return BatchLane(
                engine,
                lambda key, segments: ask(translator, begin(key, segments)),
                weigh=lambda one: len(one.text) + EVERY_TEXT,
                together=settings.max_batch_characters,
                most_waiting=most_waiting,
            )
        return FlowLane(
            engine,
            flow,
            lambda key, segment: _only(begin(key, [segment])),
            together=settings.max_batch_sentences,
            most_waiting=most_waiting,
        )

    return ServedTranslator(
        name,
        folder,
        translator,
        ways,
        care,
        Confidence.load(folder, translator.tokenizer) if folder.confidence.is_file() else None,
        lane(settings.max_queued_texts),
        lane(settings.max_queued_file_texts),
    )


def translating(
    care: SentencePipeline, segments: Sequence[Segment], alternatives: int
) -> Asking[list[ServedTranslation]]:
    """Translate texts, with some other ways to put each of their sentences."""
    found = yield from request_segments(care, segments)
    if not alternatives:
        return [ServedTranslation(one) for one in found]
    open_ones = [
        ProtectedSentence(source)
        for one in found
        for source, told in zip(one.sources, one.told, strict=False)
        if told.translation is not None
    ]
    others: Iterator[list[Alternative]] = iter(())
    if open_ones:
        others = iter((yield from care.alternatives(open_ones, alternatives + 1)))
    return [
        ServedTranslation(one, tuple(_others(told, others, alternatives) for told in one.told))
        for one in found
    ]


def _only(asking: Asking[list[ServedTranslation]]) -> Asking[ServedTranslation]:
    (said,) = yield from asking
    return said


def _others(
    told: TranslatedSentence, others: Iterator[list[Alternative]], most: int
) -> tuple[Alternative, ...]:
    """Return what else could be said; what no network has said has no alternatives."""
    if told.translation is None:
        return ()
    return tuple(one for one in next(others) if one.text != told.text)[:most]


def _ways(translator: Translator) -> tuple[Direction, ...]:
    corpus = translator.corpus
    unnamed = LanguagePair()
    return ((unnamed.source, unnamed.target),) if corpus is None else tuple(directions(corpus))
