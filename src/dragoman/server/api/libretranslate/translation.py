"""Translating the texts of a request: split into segments, submitted, assembled again."""

from collections.abc import Sequence

from fastapi import Request

from dragoman.data.documents.document import Document, Segment
from dragoman.data.documents.open import read_document
from dragoman.data.formats.languages import choose
from dragoman.server.api.libretranslate.request import TranslateRequest
from dragoman.server.deadlines import wait_for_job
from dragoman.server.errors import ApiError, busy
from dragoman.server.model_registry import ModelRegistry
from dragoman.server.scheduler.jobs import QueueFull, ScheduledJob
from dragoman.server.translators import ServedTranslation, ServedTranslator, TranslationOptions


def translator_for(models: ModelRegistry, source: str, target: str) -> tuple[ServedTranslator, str]:
    """Find a translator between two languages; the error lists those there are."""
    found = models.between(source, target)
    if found is None:
        sources = models.sources()
        unknown = target if source in sources else source
        pairs = [f"{one} to {other}" for one, others in sources.items() for other in others]
        listed = ", ".join(pairs[:20]) or "none"
        raise ApiError(400, f"{unknown} is not supported. Translated are: {listed}.")
    return found


async def translate_texts(
    request: Request, body: TranslateRequest, texts: Sequence[str], sources: Sequence[str]
) -> list[tuple[str, list[str]]]:
    """Translate texts, each by the translator of its language, with alternatives.

    All are submitted before the first is awaited.
    """
    state = request.app.state
    split = [
        _SplitText.of(text, source, body, state.models)
        for text, source in zip(texts, sources, strict=True)
    ]
    jobs: list[tuple[list[_SplitText], ScheduledJob[list[ServedTranslation]]]] = []
    try:
        for served, group in _by_translator(split):
            segments = [segment for text in group for segment in text.segments]
            options = TranslationOptions(group[0].to, body.alternatives)
            jobs.append((group, served.queue.submit(segments, options)))
        for group, job in jobs:
            results = await wait_for_job(request, job, state.settings.deadline)
            translations = iter(results)
            for text in group:
                text.translations = [next(translations) for _ in text.segments]
    except QueueFull:
        raise busy() from None
    finally:
        for _, job in jobs:
            job.drop()
    return [(text.best(), text.alternatives(body.alternatives)) for text in split]


def _by_translator(
    texts: Sequence["_SplitText"],
) -> list[tuple[ServedTranslator, list["_SplitText"]]]:
    groups: dict[str, tuple[ServedTranslator, list[_SplitText]]] = {}
    for text in texts:
        if text.served:
            groups.setdefault(text.served.name, (text.served, []))[1].append(text)
    return list(groups.values())


class _SplitText:
    """One of the texts of a request, split into segments."""

    def __init__(
        self, raw: str, served: ServedTranslator | None, to: str, document: Document | None
    ) -> None:
        self.raw, self.served, self.to, self.document = raw, served, to, document
        whole = [Segment(raw)] if served and raw.strip() else []
        self.segments = whole if document is None else list(document.segments)
        self.translations: list[ServedTranslation] = []

    @classmethod
    def of(
        cls, raw: str, source: str, body: TranslateRequest, models: ModelRegistry
    ) -> "_SplitText":
        """Split a text; one that is in the target language already stays as it is."""
        same = choose(body.target, [source]) is not None
        if same and models.between(source, body.target) is None:
            return cls(raw, None, body.target, None)
        served, to = translator_for(models, source, body.target)
        document = None
        if body.format == "html":
            document = read_document("html", raw.encode("utf-8"), "q", served.wanted(to))
        return cls(raw, served, to, document)

    def best(self) -> str:
        """Return the translation."""
        if self.document is not None:
            segments = {
                place: one.interpreted.answer for place, one in enumerate(self.translations)
            }
            return self.document.written(segments).decode("utf-8")
        return self.translations[0].text if self.translations else self.raw

    def alternatives(self, count: int) -> list[str]:
        """Return other translations: of each sentence the next one, where it has one."""
        if self.document is not None:
            return []
        found = [one.alternative(rank) for one in self.translations for rank in range(count)]
        best = self.best()
        return [text for text in dict.fromkeys(found) if text != best]
