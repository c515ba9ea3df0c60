"""The pipeline's difference to the bare network, in scores of test sets.

`evaluate`, `compare` and validation score the network itself, so that figures stay comparable with
older ones and with other toolkits'. Users get what the pipeline makes of it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from dragoman.metrics.scores import score
from dragoman.pipeline.translator import Translator

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
    translator: Translator,
    name: str,
    sources: Sequence[str],
    bare: Sequence[str],
    references: Sequence[str],
    after_batch: Callable[[int], None] | None = None,
) -> PipelineDifference:
    """Translate a test set through the pipeline, and compare with the bare network's output."""
    found = translator.translate_texts(sources, after_batch=after_batch)
    piped = [one.answer.text for one in found]
    return PipelineDifference(
        name=name,
        sentences=len(sources),
        changed=sum(one != other for one, other in zip(piped, bare, strict=True)),
        bare=_figures(bare, references),
        piped=_figures(piped, references),
    )


def _figures(texts: Sequence[str], references: Sequence[str]) -> dict[str, float]:
    found = score(list(texts), [list(references)], metrics=METRICS)
    return {found[metric].name: found[metric].value for metric in METRICS}
