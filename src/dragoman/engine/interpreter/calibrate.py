"""Fitting the confidence of a run on its validation set, and checking it on its test sets."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

from dragoman.config.reading import read_recipe
from dragoman.core.errors import RunError
from dragoman.data.corpus.held_out import load_held_out
from dragoman.data.formats.pair import Pair
from dragoman.engine.checkpoint.folder import RunFolder, trained
from dragoman.engine.inference.card import write_card
from dragoman.engine.inference.translation import Translation
from dragoman.engine.inference.translator import Translator
from dragoman.engine.interpreter.confidence import GOOD, Checked, Confidence, are_good
from dragoman.metrics.calibration import (
    brier_score,
    calibration_error,
    error_by_chance,
    reliability,
)
from dragoman.pictures.reliability import draw_reliability

MOST = 2000
"""Pairs of a set that are looked at, its first ones."""


def sets_to_calibrate(
    folder: RunFolder, most: int = MOST
) -> tuple[list[Pair], dict[str, list[Pair]]]:
    """Return the pairs to fit on and those to check on: validation and test sets of a run."""
    held_out = load_held_out(folder.data)
    if not held_out.valid or not held_out.tests:
        raise RunError(
            f"{folder.path}: holds no validation and test sets, so no confidence can be fitted. "
            "Train with corpus.held_out above 0."
        )
    return held_out.valid[:most], {name: pairs[:most] for name, pairs in held_out.tests.items()}


def calibrate(
    run: str | Path,
    *,
    most: int = MOST,
    after_batch: Callable[[int], None] | None = None,
) -> dict[str, Checked]:
    """Fit the confidence of a run, check it, and store file, picture and card.

    All is translated as the run's own decoding settings say. The card of an imported network stays
    as it is.
    """
    folder = trained(Path(run))
    valid, tests = sets_to_calibrate(folder, most)
    translator = Translator.load(folder.path)

    def best(pairs: Sequence[Pair]) -> list[Translation]:
        found = translator.candidates([pair.source for pair in pairs], after_batch=after_batch)
        return [each[0] for each in found]

    confidence = Confidence.fit(
        translator.tokenizer,
        [pair.source for pair in valid],
        best(valid),
        [pair.target for pair in valid],
    )
    checked = {name: check(confidence, pairs, best(pairs)) for name, pairs in tests.items()}
    confidence.save(folder, checked)
    recipe = read_recipe(folder.recipe)
    draw_reliability(
        {name: one.bins for name, one in checked.items()},
        folder.reliability,
        f"{recipe.name}: can its confidence be believed?",
        f"stated probability of chrF ≥ {GOOD:g}",
    )
    if recipe.corpus.kind != "imported":
        write_card(folder)
    return checked


def check(
    confidence: Confidence, pairs: Sequence[Pair], translations: Sequence[Translation]
) -> Checked:
    """Compare what is said of translations with how good they are."""
    said = [confidence.of(pair.source, one) for pair, one in zip(pairs, translations, strict=True)]
    good = are_good(translations, [pair.target for pair in pairs])
    return Checked(
        pairs=len(pairs),
        good=sum(good) / len(good),
        error=calibration_error(said, good),
        by_chance=error_by_chance(said),
        brier=brier_score(said, good),
        bins=tuple(asdict(one) for one in reliability(said, good)),
    )
