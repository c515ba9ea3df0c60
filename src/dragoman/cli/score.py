"""`dragoman score`."""

import json
import sys
from pathlib import Path
from typing import Annotated

import typer


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
    from dragoman.tasks.language_model.language_model import LanguageModel

    writer = LanguageModel.load(run)
    given = texts or [line.rstrip("\n") for line in sys.stdin]
    found = list(zip(given, writer.score(given), strict=True))
    if rank:
        found.sort(key=lambda pair: -pair[1].total)
    for text, one in found:
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
            continue
        print(f"{one.total:.3f}\t{one.bits_per_byte:.3f}\t{text}")
        if by_token:
            for piece, likely in pieces:
                print(f"  {likely:9.3f}\t{piece}")
