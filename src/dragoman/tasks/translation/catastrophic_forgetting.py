"""Catastrophic forgetting: the old test sets, before and after a translator was adapted."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from dragoman.config.reading import read_recipe
from dragoman.core.errors import ConfigError
from dragoman.data.corpus.held_out import load_held_out
from dragoman.data.formats.pair import Pair
from dragoman.engine.checkpoint.folder import RunFolder, trained_run
from dragoman.metrics.significance import compare
from dragoman.tasks.translation.bare_translator import BareTranslator
from dragoman.tasks.translation.evaluate import TranslationEvaluation, score_translations

METRICS = ("bleu", "chrf")


@dataclass(frozen=True)
class ForgettingResult:
    """One old test set, judged with the weights of before and of after."""

    before: TranslationEvaluation
    after: TranslationEvaluation

    @property
    def verdicts(self) -> list[str]:
        """Return, for each metric, whether the difference is more than chance, in plain words."""
        references = [self.before.references]
        texts = self.before.hypotheses, self.after.hypotheses
        return [compare(*texts, references, metric=metric).verdict for metric in METRICS]


def old_tests(run: Path) -> tuple[RunFolder, dict[str, list[Pair]]]:
    """Return the run that another one started from, and its test sets."""
    start = read_recipe(trained_run(run).recipe).start
    if start is None:
        raise ConfigError(f"{run}: did not start from another run, so it has nothing to forget.")
    base = trained_run(start.run)
    return base, load_held_out(base.data).tests


def evaluate_forgetting(
    run: Path, *, beam: int | None = None, after_batch: Callable[[int], None] | None = None
) -> list[ForgettingResult]:
    """Judge an adapted run and the one that it started from on the old test sets."""
    base, sets = old_tests(run)
    both = [BareTranslator.load(folder) for folder in (base.path, run)]
    judged = [
        [
            score_translations(
                one, pairs, name, beam=beam, metrics=METRICS, after_batch=after_batch
            )
            for one in both
        ]
        for name, pairs in sets.items()
    ]
    return [ForgettingResult(before, after) for before, after in judged]
