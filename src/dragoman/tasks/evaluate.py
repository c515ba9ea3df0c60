"""Evaluating a trained run on its test sets or on given files, whatever its task."""

from collections.abc import Callable, Sequence
from pathlib import Path

from dragoman.config.reading import read_recipe
from dragoman.config.task import TranslationTaskSettings
from dragoman.core.errors import ConfigError
from dragoman.engine.checkpoint.folder import trained_run
from dragoman.tasks.common.card import Evaluation
from dragoman.tasks.open import task_kind
from dragoman.tasks.translation.evaluate import BOOTSTRAP
from dragoman.tasks.translation.evaluate import evaluate as evaluate_translations


def evaluate(
    run: str | Path,
    files: Sequence[str | Path] = (),
    *,
    to: str | None = None,
    beam: int | None = None,
    decoding: Sequence[str] = (),
    bootstrap: int = BOOTSTRAP,
    also: Sequence[str | Path] = (),
    after_batch: Callable[[int], None] | None = None,
) -> Sequence[Evaluation]:
    """Judge a run on its test sets (or on given files); store the scores and the card.

    `to`, `beam`, `decoding` (`key=value` changes of decoding settings), `bootstrap` and `also`
    (runs of an ensemble) are for translators.
    """
    folder, paths = Path(run), [Path(file) for file in files]
    task = read_recipe(trained_run(folder).recipe).task
    if isinstance(task, TranslationTaskSettings):
        return evaluate_translations(
            folder,
            paths,
            to=to,
            beam=beam,
            decoding=decoding,
            bootstrap=bootstrap,
            also=[Path(one) for one in also],
            after_batch=after_batch,
        )
    if to is not None or beam is not None or decoding or also:
        raise ConfigError(
            f"{run}: task.kind = {task.kind!r} translates nothing. Leave out to, beam, decoding "
            "and also."
        )
    return task_kind(task).evaluate(folder, paths, after_batch or (lambda _: None))
