"""`dragoman evaluate` for networks that learn from plain text, whole or with parts taken out."""

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Judged = TypeVar("Judged", bound="DataclassInstance")


def evaluate_text_run(run: Path, files: list[Path], as_json: bool) -> None:
    """Say how well a run foresees text."""
    from dragoman.tasks.language_model.evaluate import evaluate_texts

    for one in _judged(evaluate_texts, run, files, "reading", as_json):
        print(f"{one.name}: {one.documents:,} documents, {one.tokens:,} tokens")
        print(f"  perplexity    {one.perplexity:9.2f}  per token of this vocabulary")
        print(f"  bits per byte {one.bits_per_byte:9.3f}")


def evaluate_masked_run(run: Path, files: list[Path], as_json: bool) -> None:
    """Say how well a run guesses hidden words."""
    from dragoman.tasks.masked_lm.evaluate import evaluate_masked

    for one in _judged(evaluate_masked, run, files, "reading", as_json):
        print(
            f"{one.name}: {one.documents:,} documents, {one.hidden_words:,} masked tokens "
            f"(seed {one.seed})"
        )
        print(f"  accuracy      {100 * one.accuracy:9.2f}  % of the masked tokens are predicted")
        if one.follows_accuracy is not None:
            share = 100 * one.follows_accuracy
            print(f"  next sentence {share:9.2f}  % of the pairs are classified correctly")
        print(f"  perplexity    {one.perplexity:9.2f}  per masked token of this vocabulary")
        print(f"  loss          {one.nats_per_token:9.3f}  nats per masked token")


def evaluate_spans_run(run: Path, files: list[Path], as_json: bool) -> None:
    """Say how well a run restores spans."""
    from dragoman.tasks.span_corruption.evaluate import evaluate_spans

    for one in _judged(evaluate_spans, run, files, "writing", as_json):
        print(
            f"{one.name}: {one.documents:,} documents, {one.spans:,} corrupted spans "
            f"(seed {one.seed}), {one.tokens:,} target tokens"
        )
        print(f"  exact spans   {100 * one.exact_spans:9.2f}  % are restored by greedy search")
        print(f"  perplexity    {one.perplexity:9.2f}  per token of this vocabulary")
        print(f"  loss          {one.nats_per_token:9.3f}  nats per token")


def _judged(
    judge: Callable[[Path, list[Path], Callable[[int], None]], list[Judged]],
    run: Path,
    files: list[Path],
    doing: str,
    as_json: bool,
) -> list[Judged]:
    """Judge a run on its documents; as JSON all is printed, and nothing is left to be said."""
    from dragoman.core.console import progress_bar
    from dragoman.tasks.common.text_preparation import documents_to_test

    total = sum(map(len, documents_to_test(run, files).values()))
    with progress_bar(doing, total) as bar:
        judged = judge(run, files, bar.advance)
    if as_json:
        print(json.dumps([asdict(one) for one in judged], ensure_ascii=False, indent=1))
        return []
    return judged
