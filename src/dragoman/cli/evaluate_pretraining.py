"""`dragoman evaluate` for networks that were trained on text with words hidden or cut out."""

import json
from dataclasses import asdict
from pathlib import Path


def evaluate_masked_run(run: Path, files: list[Path], as_json: bool) -> None:
    """Say how well a run guesses hidden words."""
    from dragoman.core.console import progress_bar
    from dragoman.engine.inference.evaluate_masked import evaluate_masked
    from dragoman.engine.inference.evaluate_text import documents_to_test

    total = sum(map(len, documents_to_test(run, files).values()))
    with progress_bar("reading", total) as bar:
        judged = evaluate_masked(run, files, bar.advance)
    if as_json:
        print(json.dumps([asdict(one) for one in judged], ensure_ascii=False, indent=1))
        return
    for one in judged:
        print(
            f"{one.name}: {one.documents:,} documents, {one.hidden_words:,} hidden words "
            f"(hidden by seed {one.seed})"
        )
        print(f"  accuracy      {100 * one.accuracy:9.2f}  % of the hidden words are guessed")
        if one.follows_accuracy is not None:
            share = 100 * one.follows_accuracy
            print(f"  next sentence {share:9.2f}  % of the pairs are judged rightly")
        print(f"  perplexity    {one.perplexity:9.2f}  of a hidden word of this vocabulary")
        print(f"  loss          {one.nats_per_token:9.3f}  nats for each hidden word")


def evaluate_spans_run(run: Path, files: list[Path], as_json: bool) -> None:
    """Say how well a run restores spans."""
    from dragoman.core.console import progress_bar
    from dragoman.engine.inference.evaluate_spans import evaluate_spans
    from dragoman.engine.inference.evaluate_text import documents_to_test

    total = sum(map(len, documents_to_test(run, files).values()))
    with progress_bar("writing", total) as bar:
        judged = evaluate_spans(run, files, bar.advance)
    if as_json:
        print(json.dumps([asdict(one) for one in judged], ensure_ascii=False, indent=1))
        return
    for one in judged:
        print(
            f"{one.name}: {one.documents:,} documents, {one.spans:,} spans cut out "
            f"(by seed {one.seed}), {one.tokens:,} tokens to write"
        )
        print(f"  exact spans   {100 * one.exact_spans:9.2f}  % are restored, by greedy search")
        print(f"  perplexity    {one.perplexity:9.2f}  of a token of this vocabulary")
        print(f"  loss          {one.nats_per_token:9.3f}  nats for each token")
