"""The public translator: a trained run inside the translation pipeline."""

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import overload

from dragoman.backends.engines import EngineName
from dragoman.config.sampling import SamplingSettings
from dragoman.data.documents.document import Segment
from dragoman.pipeline.load import PipelineOptions, load_pipeline
from dragoman.pipeline.segments import SegmentResult, request_segments
from dragoman.pipeline.sentences import SentencePipeline
from dragoman.tasks.translation.bare_translator import BareTranslator
from dragoman.tasks.translation.requests import run_coroutine
from dragoman.tasks.translation.term_constraints import Terms
from dragoman.tasks.translation.translation import Translation


class Translator:
    """Translate text as files and the server do: sentence by sentence, placeholders kept."""

    def __init__(
        self,
        run: Path,
        bare: BareTranslator,
        *,
        glossary: Path | None = None,
        memory: Path | None = None,
    ) -> None:
        self.run, self.bare = run, bare
        """The run folder, and its network without the pipeline."""
        self.glossary, self.memory = glossary, memory
        self._pipelines: dict[str | None, SentencePipeline] = {}

    @classmethod
    def load(
        cls,
        run: str | Path,
        *,
        device: str = "auto",
        also: Sequence[str | Path] = (),
        engine: EngineName = "torch",
        glossary: str | Path | None = None,
        memory: str | Path | None = None,
    ) -> "Translator":
        """Load the translator that a run folder holds.

        The runs of `also` translate with it as one: their probabilities are averaged. With another
        engine the run may also be a folder that was exported for it. `glossary` and `memory` are
        files of terms and of translations to reuse.
        """
        bare = BareTranslator.load(run, device=device, also=also, engine=engine)
        return cls(
            Path(run),
            bare,
            glossary=None if glossary is None else Path(glossary),
            memory=None if memory is None else Path(memory),
        )

    @overload
    def translate(
        self,
        text: str,
        *,
        to: str | None = None,
        beam: int | None = None,
        prefix: str = "",
        raw: bool = False,
    ) -> str: ...
    @overload
    def translate(
        self,
        text: list[str],
        *,
        to: str | None = None,
        beam: int | None = None,
        prefix: str = "",
        raw: bool = False,
    ) -> list[str]: ...
    def translate(
        self,
        text: str | list[str],
        *,
        to: str | None = None,
        beam: int | None = None,
        prefix: str = "",
        raw: bool = False,
    ) -> str | list[str]:
        """Return the best translation of a text, or of each of several.

        `to` names the language to write; a model that writes only one needs no telling. `raw` asks
        the bare network, without sentence splitting, placeholders, casing and glossary. So does
        `prefix`, with which every translation begins with these words.
        """
        if raw or prefix:
            return self.bare.translate(text, beam=beam, to=to, prefix=prefix)
        texts = [text] if isinstance(text, str) else text
        found = [one.answer.text for one in self.translate_texts(texts, to=to, beam=beam)]
        return found[0] if isinstance(text, str) else found

    def translate_texts(
        self,
        texts: Sequence[str],
        *,
        to: str | None = None,
        beam: int | None = None,
        after_batch: Callable[[int], None] | None = None,
    ) -> list[SegmentResult]:
        """Translate texts, and say of each what became of its sentences.

        `after_batch` is told how many sentences each batch has finished.
        """
        segments = [Segment(text) for text in texts]
        coroutine = request_segments(self.pipeline(to=to, beam=beam), segments)
        return run_coroutine(self.bare, coroutine, after_batch)

    def pipeline(self, *, to: str | None = None, beam: int | None = None) -> SentencePipeline:
        """Return the pipeline into a language; what it knows of the run's text is read once."""
        if to not in self._pipelines:
            options = PipelineOptions(to=to, glossary=self.glossary, memory=self.memory)
            self._pipelines[to] = load_pipeline(self.run, self.bare, options)
        found = self._pipelines[to]
        return found if beam is None else replace(found, beam=beam)

    def with_settings(self, changes: Sequence[str]) -> "Translator":
        """Return a translator whose search is changed by settings such as `beam=4`."""
        other = copy(self)
        other.bare, other._pipelines = self.bare.with_settings(changes), {}
        return other

    def candidates(
        self,
        texts: Sequence[str],
        *,
        beam: int | None = None,
        nbest: int = 1,
        to: str | None = None,
        prefixes: Sequence[str] | None = None,
        terms: Terms | None = None,
    ) -> list[list[Translation]]:
        """Return the `nbest` translations of each text by the bare network, best first.

        Each has its scores and its tokens; see `BareTranslator.candidates`.
        """
        return self.bare.candidates(
            texts, beam=beam, nbest=nbest, to=to, prefixes=prefixes, terms=terms
        )

    def sample(
        self,
        texts: Sequence[str],
        count: int = 1,
        settings: SamplingSettings | None = None,
        *,
        seed: int | None = None,
        to: str | None = None,
    ) -> list[list[Translation]]:
        """Sample `count` translations of each text from the bare network."""
        return self.bare.sample(texts, count, settings, seed=seed, to=to)
