"""`dragoman evaluate` for a network that matches images and texts."""

from pathlib import Path
from typing import TYPE_CHECKING

from dragoman.cli.judged import print_classes, print_json

if TYPE_CHECKING:
    from dragoman.metrics.retrieval import Retrieval
    from dragoman.tasks.image_text.evaluate import RetrievalEvaluation


def evaluate_matching_run(run: Path, files: list[Path], as_json: bool) -> None:
    """Print how often what belongs together is found, both ways, by language and caption.

    Folders are classes: their pictures are sorted by their names.
    """
    from dragoman.core.console import progress_bar
    from dragoman.tasks.image_text.evaluate import evaluate_matches, images_to_test

    if files and all(path.is_dir() for path in files):
        _sort_by_names(run, files, as_json)
        return
    total = sum(map(len, images_to_test(run, files).values()))
    with progress_bar("looking", total) as bar:
        judged = evaluate_matches(run, files, bar.advance)
    if as_json:
        print_json(judged)
        return
    for one in judged:
        print_matches(one)


def _sort_by_names(run: Path, folders: list[Path], as_json: bool) -> None:
    from dragoman.tasks.image_text.zero_shot import evaluate_zero_shot

    print_classes([evaluate_zero_shot(run, folders)], as_json)


def print_matches(judged: "RetrievalEvaluation") -> None:
    """Print one test set for people."""
    print(
        f"{judged.name}: {judged.images:,} images; recall in % with its 95 % interval, in brackets "
        "without looking"
    )
    print(
        f"  {'language':<9}{'caption':<18}{'words':>5}  {'way':<13}"
        f"{'recall@1':>24}{'recall@5':>24}{'recall@10':>24}{'median rank':>18}"
    )
    for one in judged.matches:
        for way, found in (("text → image", one.to_image), ("image → text", one.to_text)):
            print(
                f"  {one.language or '-':<9}{one.kind:<18}{one.words:>5.1f}  {way:<13}"
                f"{_recalls(found)}{f'{found.median_rank:.1f} ({found.chance_median:.1f})':>18}"
            )
    if judged.details:
        print_details(judged)


def print_details(judged: "RetrievalEvaluation") -> None:
    """Print what more detail in a caption is worth."""
    print(
        "what detail is worth: points by which more images are found among the first 10, or their "
        "captions; 95 % interval by paired bootstrap"
    )
    for one in judged.details:
        gain = one.gain
        interval = f"[{100 * gain.low:+.1f}, {100 * gain.high:+.1f}]"
        print(
            f"  {one.language or '-':<9}{f'{one.less} → {one.more}':<34}{one.way:<13}"
            f"{100 * gain.difference:>+6.1f} {interval:<15} {gain.things:>6,} images"
            f"{'' if gain.sure else ', not sure'}"
        )


def _recalls(found: "Retrieval") -> str:
    cells = []
    for first, share in found.recall.items():
        low, high = found.intervals[first]
        blind = found.blind[first]
        cells.append(f"{100 * share:.1f} [{100 * low:.0f}, {100 * high:.0f}] ({100 * blind:.1f})")
    return "".join(f"{cell:>24}" for cell in cells)
