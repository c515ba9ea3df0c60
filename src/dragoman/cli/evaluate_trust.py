"""`dragoman evaluate --confidence` and `--robustness`."""

import json
from dataclasses import asdict
from pathlib import Path


def evaluate_trust(
    run: Path, beam: int | None, as_json: bool, *, confidence: bool, robustness: bool
) -> None:
    """Judge how far a translator can be trusted, as it is asked for."""
    if confidence:
        _confidence(run, as_json)
    if robustness:
        _robustness(run, beam, as_json)


def _confidence(run: Path, as_json: bool) -> None:
    """Fit the confidence of a run on its validation set, and check it on its test sets."""
    from dragoman.core.console import progress_bar
    from dragoman.engine.checkpoint.folder import trained_run
    from dragoman.pipeline.calibrate import calibrate, sets_to_calibrate
    from dragoman.pipeline.confidence import GOOD, Confidence

    folder = trained_run(run)
    valid, tests = sets_to_calibrate(folder)
    with progress_bar("translating", len(valid) + sum(map(len, tests.values()))) as bar:
        checked = calibrate(run, after_batch=bar.advance)
    if as_json:
        found = {name: asdict(one) for name, one in checked.items()}
        print(json.dumps(found, ensure_ascii=False, indent=1))
        return
    pairs = Confidence.load(folder).pairs
    print(
        f"P(chrF ≥ {GOOD:g}), fitted on {pairs:,} of {len(valid):,} validation pairs: "
        f"{folder.confidence}"
    )
    for name, one in checked.items():
        print(
            f"{name}: {one.pairs:,} pairs, {100 * one.good:.1f} % of the translations are good; "
            f"expected calibration error {one.error:.3f} (if perfectly calibrated: "
            f"{one.by_chance:.3f}), Brier score {one.brier:.3f}"
        )
        print("  predicted  observed   95 % interval  translations")
        for point in one.bins:
            print(
                f"  {point['said']:9.3f}  {point['came']:8.3f}  [{point['low']:.3f}, "
                f"{point['high']:.3f}]  {point['count']:>12,}"
            )


def _robustness(run: Path, beam: int | None, as_json: bool) -> None:
    """Translate lines as people type them, and print how much is lost."""
    from dragoman.pipeline.robustness import evaluate_robustness, table
    from dragoman.pipeline.translator import Translator

    translator = Translator.load(run)

    def translate(texts: list[str]) -> list[str]:
        return translator.translate(texts, beam=beam)

    how = f"through the pipeline, beam {beam or translator.bare.decoding.beam}"
    judged = evaluate_robustness(run, translate, how)
    if as_json:
        print(json.dumps([asdict(one) for one in judged], ensure_ascii=False, indent=1))
    else:
        print(table(judged), end="")
