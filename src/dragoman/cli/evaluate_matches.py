"""`dragoman evaluate` for a network that matches images and texts."""

from pathlib import Path
from typing import TYPE_CHECKING

from dragoman.cli.judged import print_json

if TYPE_CHECKING:
    from dragoman.engine.inference.evaluate_matches import MatchesJudged
    from dragoman.metrics.retrieval import Retrieval


def evaluate_matching_run(run: Path, files: list[Path], as_json: bool) -> None:
    """Print how often what belongs together is found, both ways, by language and caption."""
    from dragoman.core.console import progress_bar
    from dragoman.engine.inference.evaluate_matches import evaluate_matches, images_to_test

    total = sum(map(len, images_to_test(run, files).values()))
    with progress_bar("looking", total) as bar:
        judged = evaluate_matches(run, files, bar.advance)
    if as_json:
        print_json(judged)
        return
    for one in judged:
        print_matches(one)


def print_matches(judged: "MatchesJudged") -> None:
    """Print one test set for people."""
    print(f"{judged.name}: {judged.images:,} images; recall in %, in brackets without looking")
    print(
        f"  {'language':<9}{'caption':<18}{'words':>5}  {'way':<13}"
        f"{'recall@1':>15}{'recall@5':>15}{'recall@10':>15}{'median rank':>18}"
    )
    for one in judged.matches:
        for way, found in (("text → image", one.to_image), ("image → text", one.to_text)):
            print(
                f"  {one.language or '-':<9}{one.kind:<18}{one.words:>5.1f}  {way:<13}"
                f"{_recalls(found)}{f'{found.median_rank:.1f} ({found.chance_median:.1f})':>18}"
            )


def _recalls(found: "Retrieval") -> str:
    cells = (f"{100 * found.recall[k]:.1f} ({100 * found.blind[k]:.1f})" for k in found.recall)
    return "".join(f"{cell:>15}" for cell in cells)
