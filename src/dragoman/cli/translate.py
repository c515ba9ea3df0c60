"""`dragoman translate`."""

import sys
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

WINDOW = 2000  # lines translated together: enough for good batches, little enough to stream


def translate(
    run: Annotated[Path, typer.Argument(help="The run folder.")],
    file: Annotated[
        Path | None, typer.Argument(help="Text, one sentence a line; without it, stdin.")
    ] = None,
    beam: Annotated[int | None, typer.Option(help="Hypotheses kept; 1 is greedy.", min=1)] = None,
    nbest: Annotated[
        int, typer.Option(help="Translations per line, each with its line's number.", min=1)
    ] = 1,
    scores: Annotated[bool, typer.Option("--scores", help="Put the score before each.")] = False,
    attention: Annotated[
        Path | None, typer.Option(help="Draw what the first line's words looked at (PNG).")
    ] = None,
) -> None:
    """Translate line by line, stdin to stdout; one line in, one line out, order kept."""
    from dragoman.core.console import progress_bar
    from dragoman.core.errors import DataError
    from dragoman.engine.inference.translator import Translator

    if file is not None and not file.is_file():
        raise DataError(f"{file}: there is no such file to translate.")
    translator = Translator.load(run)
    drawn, done = attention is None, 0
    with ExitStack() as opened:
        stream = opened.enter_context(file.open("rb")) if file else sys.stdin.buffer
        lines = read_for_translation(stream, str(file or "stdin"))
        bar = opened.enter_context(progress_bar("translating", _count(file)))
        together = 1 if file is None and sys.stdin.isatty() else WINDOW  # a person wants an answer
        while window := list(islice(lines, together)):
            found = translator.candidates(window, beam=beam, nbest=nbest, after_batch=bar.advance)
            for number, translations in enumerate(found, done + 1):
                for one in translations:
                    before = [str(number)] if nbest > 1 else []
                    before += [f"{one.score:.4f}"] if scores else []
                    print("\t".join([*before, one.text]))
            done += len(window)
            sys.stdout.flush()
            if not drawn and attention is not None and found[0][0].text:
                _draw(translator, window[0], found[0][0].text, attention)
                drawn = True


def read_for_translation(stream: BinaryIO, name: str) -> Iterator[str]:
    """Yield each line as text; bytes that are not UTF-8 become the replacement character."""
    from dragoman.core.console import say

    told = False
    for number, line in enumerate(stream, 1):
        raw = line.removesuffix(b"\n").removesuffix(b"\r")
        if number == 1:
            raw = raw.removeprefix(b"\xef\xbb\xbf")
        text = raw.decode("utf-8", errors="replace")
        if "\ufffd" in text and not told:
            say(f"{name}:{number}: is not valid UTF-8; the bad bytes are replaced.", "yellow")
            told = True
        yield text


def _count(file: Path | None) -> int:
    if file is None:
        return 0
    with file.open("rb") as stream:
        return sum(1 for _ in stream)


def _draw(translator: object, source: str, target: str, path: Path) -> None:
    from dragoman.core.console import say
    from dragoman.engine.inference.attention import source_attention
    from dragoman.engine.inference.translator import Translator
    from dragoman.pictures.attention import draw_attention

    if not isinstance(translator, Translator):
        raise TypeError("a picture needs a translator")
    seen = source_attention(translator, source, target)
    draw_attention(seen.weights[-1], seen.source, seen.target, path, f"{source} → {target}")
    say(f"the attention picture is in {path}")
