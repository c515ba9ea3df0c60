"""Fitting the confidence of a run on its validation set, and checking it on its test sets.

Both sets are translated as files are, with care. What is fitted is a sentence that the network has
translated whole; what is checked is what `--min-confidence` will go by, of texts of any kind.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from dragoman.config.reading import read_recipe
from dragoman.core.errors import RunError
from dragoman.data.corpus.held_out import load_held_out
from dragoman.data.corpus.random_order import in_random_order
from dragoman.data.documents.document import Segment
from dragoman.data.formats.pair import Pair
from dragoman.data.tokenizer.pair import TokenizerPair
from dragoman.engine.checkpoint.folder import RunFolder, trained_run
from dragoman.metrics.calibration import (
    brier_score,
    calibration_error,
    error_by_chance,
    reliability,
)
from dragoman.pipeline.confidence import GOOD, CalibrationResult, Confidence, are_good, missing
from dragoman.pipeline.files import TOGETHER, segment_confidence
from dragoman.pipeline.load import load_pipeline
from dragoman.pipeline.pseudo_words import with_pseudo_words
from dragoman.pipeline.segments import SegmentResult, translate_segments
from dragoman.plots.reliability import draw_reliability
from dragoman.tasks.common.card import write_card
from dragoman.tasks.translation.bare_translator import BareTranslator
from dragoman.tasks.translation.report import REPORT
from dragoman.tasks.translation.translation import Translation

MOST = 2000
"""Pairs of a set that are looked at, a random sample of larger ones."""


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

    def sample(pairs: list[Pair]) -> list[Pair]:
        if len(pairs) <= most:
            return pairs
        return in_random_order(pairs, held_out.seed, lambda pair: pair.source)[:most]

    return sample(held_out.valid), {name: sample(pairs) for name, pairs in held_out.tests.items()}


def calibrate(
    run: str | Path, *, most: int = MOST, after_batch: Callable[[int], None] | None = None
) -> dict[str, CalibrationResult]:
    """Fit the confidence of a run, check it, and store file, figure and card.

    All is translated with care, as the run's own decoding settings say. The card of an imported
    network stays as it is.
    """
    folder = trained_run(Path(run))
    valid, tests = sets_to_calibrate(folder, most)
    translator = BareTranslator.load(folder.path)

    pipeline = load_pipeline(folder.path, translator)

    def translated(sources: Sequence[str], said: bool = True) -> list[SegmentResult]:
        found: list[SegmentResult] = []
        for begin in range(0, len(sources), TOGETHER):
            segments = [Segment(source) for source in sources[begin : begin + TOGETHER]]
            found += translate_segments(pipeline, segments)
            if after_batch and said:
                after_batch(len(segments))
        return found

    examples = usable(translated(sources_of(valid)), [pair.target for pair in valid])
    lacking = missing([one.good for one in examples])
    pseudo = list(islice(with_pseudo_words(sources_of(valid)), lacking))
    unknown = usable(translated(pseudo, said=False), [""] * len(pseudo))
    confidence = fit_confidence(translator.tokenizer, examples, unknown)
    checked = {
        name: check(confidence, pairs, translated(sources_of(pairs)))
        for name, pairs in tests.items()
    }
    confidence.save(folder, checked)
    recipe = read_recipe(folder.recipe)
    draw_reliability(
        {name: one.bins for name, one in checked.items()},
        folder.reliability,
        f"{recipe.name}: calibration of the confidence",
        f"predicted probability of chrF ≥ {GOOD:g}",
    )
    if recipe.corpus.kind != "imported":
        write_card(folder, REPORT)
    return checked


class CalibrationExample(NamedTuple):
    """A translation to learn from."""

    source: str
    translation: Translation
    good: bool


def sources_of(pairs: Sequence[Pair]) -> list[str]:
    """Return the sources of pairs."""
    return [pair.source for pair in pairs]


def usable(
    translated: Sequence[SegmentResult], references: Sequence[str]
) -> list[CalibrationExample]:
    """Give the texts to learn from: those that are one sentence, and were translated whole."""
    examples = []
    for one, reference in zip(translated, references, strict=True):
        told = one.told[0] if len(one.told) == 1 else None
        if told and told.translation is not None:
            good = are_good([one.answer.text], [reference])[0]
            examples.append(CalibrationExample(told.shown, told.translation, good))
    return examples


def fit_confidence(
    tokenizer: TokenizerPair,
    examples: Sequence[CalibrationExample],
    unknown: Sequence[CalibrationExample] = (),
) -> Confidence:
    """Fit the confidence on examples, and on sentences that nobody could translate."""
    return Confidence.fit(
        tokenizer,
        [one.source for one in examples],
        [one.translation for one in examples],
        [one.good for one in examples],
        [(one.source, one.translation) for one in unknown],
    )


def check(
    confidence: Confidence, pairs: Sequence[Pair], translated: Sequence[SegmentResult]
) -> CalibrationResult:
    """Compare what is said of translated texts with how good they are."""
    said = [segment_confidence(one, confidence) for one in translated]
    good = are_good([one.answer.text for one in translated], [pair.target for pair in pairs])
    return CalibrationResult(
        pairs=len(pairs),
        good=sum(good) / len(good),
        error=calibration_error(said, good),
        by_chance=error_by_chance(said),
        brier=brier_score(said, good),
        bins=tuple(asdict(one) for one in reliability(said, good)),
    )
