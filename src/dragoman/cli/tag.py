"""`dragoman tag`."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

WINDOW = 2000  # sentences tagged together: enough for good batches, little enough to stream


def tag(
    run: Annotated[Path, typer.Argument(help="The run folder of a tagger.")],
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="FILE", help="Text files, one sentence per line; without any, stdin."
        ),
    ] = None,
    tsv: Annotated[
        bool, typer.Option("--tsv", help="Print word, tab and label on each line.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object a line.")] = False,
) -> None:
    """Label each word of sentences, one sentence per line, as word/LABEL."""
    from dragoman.cli.contradictions import refuse_both
    from dragoman.data.formats.text_stream import windows
    from dragoman.tasks.tagging.tagger import Tagger

    refuse_both({"--tsv": tsv, "--json": as_json})
    tagger = Tagger.load(run)
    lines = _lines(files or [])
    together = 1 if not files and sys.stdin.isatty() else WINDOW  # a person wants an answer
    for window in windows(lines, together):
        for one in tagger.tag(window):
            rows = list(zip(one.words, one.labels, strict=True))
            if as_json:
                whole = {
                    "words": one.words,
                    "labels": one.labels,
                    "probabilities": one.probabilities,
                }
                print(json.dumps(whole, ensure_ascii=False))
            elif tsv:
                print("".join(f"{word}\t{label}\n" for word, label in rows))
            else:
                print(" ".join(f"{word}/{label}" for word, label in rows))
        sys.stdout.flush()


def _lines(files: list[Path]) -> Iterator[str]:
    """Yield the lines of files, or of stdin."""
    from dragoman.core.errors import DataError
    from dragoman.data.formats.findings import Findings
    from dragoman.data.formats.lines import read_lines
    from dragoman.data.formats.text_stream import text_lines

    if not files:
        yield from text_lines(sys.stdin.buffer, "stdin")
    for path in files:
        for number, line in enumerate(read_lines(path, repair=True, findings=Findings()), 1):
            if line is None:
                raise DataError(
                    f"{path}:{number}: a line of more than 16 MiB. Cut it in sentences."
                )
            yield line
