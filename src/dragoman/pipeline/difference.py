"""The pipeline's difference to the bare network, in scores of test sets.

`evaluate`, `compare` and validation score the network itself, so that figures stay comparable.
Users get what the pipeline makes of it. Most sentences of a test set ask the network for nothing
new: their translations are taken from the evaluation, and only the others are translated.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from dragoman.data.documents.document import Segment
from dragoman.metrics.scores import score
from dragoman.pipeline.segments import request_segments
from dragoman.pipeline.sentences import SentencePipeline
from dragoman.tasks.translation.requests import Candidates, TranslationRequest, drive, execute
from dragoman.tasks.translation.translation import Translation

METRICS = ("bleu", "chrf")


@dataclass(frozen=True)
class PipelineDifference:
    """Scores of one test set through the pipeline, beside those of the bare network."""

    name: str
    sentences: int
    changed: int
    """Translations that the pipeline changes."""
    bare: Mapping[str, float]
    piped: Mapping[str, float]

    def text(self) -> str:
        """Say it in one line."""
        figures = ", ".join(
            f"{metric} {self.piped[metric]:.2f} ({self.piped[metric] - self.bare[metric]:+.2f})"
            for metric in self.piped
        )
        return (
            f"{self.name}, through the pipeline as users translate: {figures}; "
            f"{self.changed:,} of {self.sentences:,} translations differ"
        )


def pipeline_difference(
    pipeline: SentencePipeline,
    name: str,
    sources: Sequence[str],
    translations: Sequence[str],
    references: Sequence[str],
) -> PipelineDifference:
    """Translate a test set through the pipeline, and compare with the bare network's output."""
    known = {
        source: [Translation(text, 0.0, 0.0)]
        for source, text in zip(sources, translations, strict=True)
    }

    def answer(request: TranslationRequest) -> Candidates:
        plain = request.nbest == 1 and not (request.terms or request.prefixes or request.no_repeat)
        found = known if plain else {}
        new = [text for text in request.texts if text not in found]
        asked = replace(request, texts=new) if plain else request
        more = iter(execute(pipeline.translator, asked)) if new else iter(())
        return [found[text] if text in found else next(more) for text in request.texts]

    coroutine = request_segments(pipeline, [Segment(source) for source in sources])
    piped = [one.answer.text for one in drive(coroutine, answer)]
    return PipelineDifference(
        name=name,
        sentences=len(sources),
        changed=sum(one != other for one, other in zip(piped, translations, strict=True)),
        bare=_figures(translations, references),
        piped=_figures(piped, references),
    )


def _figures(texts: Sequence[str], references: Sequence[str]) -> dict[str, float]:
    found = score(list(texts), [list(references)], metrics=METRICS)
    return {found[metric].name: found[metric].value for metric in METRICS}
