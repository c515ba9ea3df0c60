"""Translators that are served: the texts of many requests, translated by the pipeline at once."""

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
from dragoman.pipeline.segments import SegmentResult, request_segments
from dragoman.pipeline.sentences import (
    Alternative,
    ProtectedSentence,
    SentencePipeline,
    TranslatedSentence,
)
from dragoman.pipeline.translator import Translator
from dragoman.server.scheduler.dynamic_batching import TEXT_OVERHEAD, DynamicBatchQueue
from dragoman.server.scheduler.queue import RequestQueue
from dragoman.server.scheduler.scheduler import Scheduler
from dragoman.server.scheduler.translation import TranslationQueue
from dragoman.tasks.translation.attention import kinds_of
from dragoman.tasks.translation.bare_translator import BareTranslator
from dragoman.tasks.translation.continuous_batching import TranslationBatch
from dragoman.tasks.translation.requests import Coroutine, run_coroutine


@dataclass(frozen=True, slots=True)
class ServedTranslation:
    """The translation of a text, with alternatives."""

    interpreted: SegmentResult
    alternatives: tuple[tuple[Alternative, ...], ...] = ()
    """Of each sentence, the likeliest first, without the one that was chosen."""

    @property
    def text(self) -> str:
        """The translation."""
        return self.interpreted.answer.text

    def alternative(self, rank: int) -> str:
        """Return another translation: of each sentence that of a rank, where it has one."""
        texts = [
            others[rank].text if rank < len(others) else told.text
            for told, others in zip(self.interpreted.told, self.alternatives, strict=True)
        ]
        return self.interpreted.put(texts)


@dataclass(frozen=True, slots=True)
class TranslationOptions:
    """What the texts of one request have in common."""

    to: str
    alternatives: int = 0


Queue = RequestQueue[Segment, ServedTranslation]


@dataclass(frozen=True)
class ServedTranslator:
    """A translator in the model registry, with its queues in the scheduler."""

    name: str
    folder: RunFolder
    translator: BareTranslator
    directions: tuple[Direction, ...]
    """Pairs of source and target language."""
    pipelines: dict[str, SentencePipeline]
    """The translation pipeline of each target language."""
    confidence: Confidence | None
    queue: Queue
    """For texts that somebody waits for."""
    file_queue: Queue
    """For the texts of files, so that they do not keep people waiting."""

    def wanted(self, to: str) -> LanguagePair:
        """Return the languages of a translation into one of them."""
        return LanguagePair(*next(pair for pair in self.directions if pair[1] == to))

    def confidence_of(self, sentence: TranslatedSentence) -> float | None:
        """Return how likely a sentence is translated well, where the run has learned to tell."""
        return None if self.confidence is None else sentence_confidence(sentence, self.confidence)

    @cached_property
    def attention(self) -> bool:
        """Whether the network has cross-attention that can be shown."""
        if not isinstance(self.translator.engine, TorchEngine):
            return False
        return bool({"across", "row"} & set(kinds_of(self.translator.model).values()))

    @cached_property
    def parameters(self) -> int:
        """Parameters of the network; 0 where another backend holds them."""
        if not isinstance(self.translator.engine, TorchEngine):
            return 0
        return sum(one.numel() for one in self.translator.model.parameters())


def load_translator(
    name: str, folder: RunFolder, scheduler: Scheduler, settings: ServingSettings
) -> ServedTranslator:
    """Load a translator, and give it its queues."""
    loaded = Translator.load(folder.path, engine=settings.engine)
    translator = loaded.bare
    pairs = _directions(translator)
    tagged = translator.corpus is not None and bool(written_languages(translator.corpus))
    pipelines = {
        to: loaded.pipeline(to=to if tagged else None)
        for to in dict.fromkeys(pair[1] for pair in pairs)
    }

    def begin(key: Hashable, segments: Sequence[Segment]) -> Coroutine[list[ServedTranslation]]:
        options = key if isinstance(key, TranslationOptions) else TranslationOptions(pairs[0][1])
        return translate_segments(pipelines[options.to], segments, options.alternatives)

    def queue(max_waiting: int) -> Queue:
        batch = TranslationBatch.of(translator, settings.max_batch_sentences)
        if batch is None:
            return DynamicBatchQueue(
                scheduler,
                lambda key, segments: run_coroutine(translator, begin(key, segments)),
                cost=lambda one: len(one.text) + TEXT_OVERHEAD,
                max_cost=settings.max_batch_characters,
                max_waiting=max_waiting,
            )
        return TranslationQueue(
            scheduler,
            batch,
            lambda key, segment: _only(begin(key, [segment])),
            max_running=settings.max_batch_sentences,
            max_waiting=max_waiting,
        )

    return ServedTranslator(
        name,
        folder,
        translator,
        pairs,
        pipelines,
        Confidence.load(folder, translator.tokenizer) if folder.confidence.is_file() else None,
        queue(settings.max_queued_texts),
        queue(settings.max_queued_file_texts),
    )


def translate_segments(
    pipeline: SentencePipeline, segments: Sequence[Segment], alternatives: int
) -> Coroutine[list[ServedTranslation]]:
    """Translate texts, with some alternatives for each of their sentences."""
    found = yield from request_segments(pipeline, segments)
    if not alternatives:
        return [ServedTranslation(one) for one in found]
    sentences = [
        ProtectedSentence(source)
        for one in found
        for source, told in zip(one.sources, one.told, strict=False)
        if told.translation is not None
    ]
    others: Iterator[list[Alternative]] = iter(())
    if sentences:
        others = iter((yield from pipeline.alternatives(sentences, alternatives + 1)))
    return [
        ServedTranslation(one, tuple(_others(told, others, alternatives) for told in one.told))
        for one in found
    ]


def _only(coroutine: Coroutine[list[ServedTranslation]]) -> Coroutine[ServedTranslation]:
    (translation,) = yield from coroutine
    return translation


def _others(
    sentence: TranslatedSentence, others: Iterator[list[Alternative]], count: int
) -> tuple[Alternative, ...]:
    """Return the alternatives of a sentence; one that no network has translated has none."""
    if sentence.translation is None:
        return ()
    return tuple(one for one in next(others) if one.text != sentence.text)[:count]


def _directions(translator: BareTranslator) -> tuple[Direction, ...]:
    corpus = translator.corpus
    unnamed = LanguagePair()
    return ((unnamed.source, unnamed.target),) if corpus is None else tuple(directions(corpus))
