"""Texts of a request, taken apart, translated together and put together again."""

from collections.abc import Sequence

from fastapi import Request

from dragoman.data.documents.document import Document, Segment
from dragoman.data.documents.open import read_document
from dragoman.data.formats.languages import choose
from dragoman.server.api.libretranslate.request import TranslateAsked
from dragoman.server.deadlines import answered
from dragoman.server.model_registry import Shelf
from dragoman.server.refusal import Refusal, busy
from dragoman.server.scheduler.jobs import Busy, ScheduledJob
from dragoman.server.translators import ServedTranslation, ServedTranslator, TranslationOptions


def translator_for(shelf: Shelf, source: str, target: str) -> tuple[ServedTranslator, str]:
    """Find who translates between two languages, or say which are known."""
    found = shelf.between(source, target)
    if found is None:
        sources = shelf.sources()
        unknown = target if source in sources else source
        pairs = [f"{one} to {other}" for one, others in sources.items() for other in others]
        listed = ", ".join(pairs[:20]) or "none"
        raise Refusal(400, f"{unknown} is not supported. Translated are: {listed}.")
    return found


async def translated(
    request: Request, asked: TranslateAsked, texts: Sequence[str], sources: Sequence[str]
) -> list[tuple[str, list[str]]]:
    """Have texts translated, each by the one who reads its language, with other ways to put them.

    All are handed in before the first is waited for.
    """
    pieces = [
        _Piece.of(text, source, asked, request.app.state.shelf)
        for text, source in zip(texts, sources, strict=True)
    ]
    jobs: list[tuple[list[_Piece], ScheduledJob[list[ServedTranslation]]]] = []
    try:
        for group in _by_translator(pieces):
            jobs.append((group, _ask(group, asked.alternatives)))
        for group, job in jobs:
            found: list[ServedTranslation] = await answered(
                request, job, request.app.state.settings.deadline
            )
            said = iter(found)
            for piece in group:
                piece.said = [next(said) for _ in piece.segments]
    except Busy:
        raise busy() from None
    finally:
        for _, job in jobs:
            job.drop()
    return [(piece.text(), piece.others(asked.alternatives)) for piece in pieces]


def _by_translator(pieces: Sequence["_Piece"]) -> list[list["_Piece"]]:
    groups: dict[str, list[_Piece]] = {}
    for piece in pieces:
        if piece.served:
            groups.setdefault(piece.served.name, []).append(piece)
    return list(groups.values())


def _ask(group: Sequence["_Piece"], alternatives: int) -> ScheduledJob[list[ServedTranslation]]:
    """Hand texts of one translator in; the caller has seen to it that there is one."""
    served, to = group[0].served, group[0].to
    if served is None:
        return ScheduledJob()
    segments = [segment for piece in group for segment in piece.segments]
    return served.lane.ask(segments, TranslationOptions(to, alternatives))


class _Piece:
    """One of the texts of a request, taken apart."""

    def __init__(
        self, raw: str, served: ServedTranslator | None, to: str, document: Document | None
    ) -> None:
        self.raw, self.served, self.to, self.document = raw, served, to, document
        whole = [Segment(raw)] if served and raw.strip() else []
        self.segments = whole if document is None else list(document.segments)
        self.said: list[ServedTranslation] = []

    @classmethod
    def of(cls, raw: str, source: str, asked: TranslateAsked, shelf: Shelf) -> "_Piece":
        """Take a text apart; one that is in the language it is to be in stays as it is."""
        same = choose(asked.target, [source]) is not None
        if same and shelf.between(source, asked.target) is None:
            return cls(raw, None, asked.target, None)
        served, to = translator_for(shelf, source, asked.target)
        document = None
        if asked.format == "html":
            document = read_document("html", raw.encode("utf-8"), "q", served.wanted(to))
        return cls(raw, served, to, document)

    def text(self) -> str:
        """Put the translation together."""
        return self._written([one.interpreted.answer.text for one in self.said])

    def others(self, most: int) -> list[str]:
        """Put other translations together: of each sentence the next one, where it has one."""
        if self.document is not None:
            return []
        found = [one.other(rank) for one in self.said for rank in range(most)]
        mine = self.text()
        return [text for text in dict.fromkeys(found) if text != mine]

    def _written(self, texts: Sequence[str]) -> str:
        if self.document is not None:
            answers = {number: one.interpreted.answer for number, one in enumerate(self.said)}
            return self.document.written(answers).decode("utf-8")
        return texts[0] if texts else self.raw
