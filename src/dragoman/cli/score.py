"""`dragoman score`."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from dragoman.tasks.language_model.language_model import TextScore

WINDOW = 2000  # lines scored together: enough for good batches, little enough to stream


def score(
    run: Annotated[Path, typer.Argument(help="The run folder of a language model.")],
    texts: Annotated[
        list[str] | None,
        typer.Argument(metavar="TEXT", help="Texts; without any, each line of stdin is one."),
    ] = None,
    rank: Annotated[bool, typer.Option("--rank", help="Sort by score, likeliest first.")] = False,
    by_token: Annotated[
        bool, typer.Option("--by-token", help="Print the log-probability of each token.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object a line.")] = False,
) -> None:
    """Score texts with a language model: log-probability and bits per byte."""
    from dragoman.data.formats.text_stream import text_lines, windows
    from dragoman.tasks.language_model.language_model import LanguageModel

    writer = LanguageModel.load(run)
    together = 1 if not texts and sys.stdin.isatty() else WINDOW  # a person wants an answer
    lines = windows(texts or text_lines(sys.stdin.buffer, "stdin"), together)
    found = (pair for window in lines for pair in zip(window, writer.score(window), strict=True))
    for text, one in sorted(found, key=lambda pair: -pair[1].total) if rank else found:
        _print(text, one, by_token, as_json)


def _print(text: str, one: "TextScore", by_token: bool, as_json: bool) -> None:
    pieces = list(zip(one.pieces, one.log_probabilities, strict=True))
    if as_json:
        whole = {
            "text": text,
            "log_probability": one.total,
            "per_token": one.per_token,
            "bits_per_byte": one.bits_per_byte,
            "tokens": pieces,
        }
        print(json.dumps(whole, ensure_ascii=False))
        return
    print(f"{one.total:.3f}\t{one.bits_per_byte:.3f}\t{text}")
    if by_token:
        for piece, likely in pieces:
            print(f"  {likely:9.3f}\t{piece}")
