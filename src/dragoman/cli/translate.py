"""`dragoman translate`."""

import sys
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import islice, zip_longest
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

WINDOW = 2000  # lines translated together: enough for good batches, little enough to stream


def translate(  # noqa: PLR0913 - one argument for each option
    run: Annotated[Path, typer.Argument(help="The run folder.")],
    file: Annotated[
        Path | None, typer.Argument(help="Text, one sentence a line; without it, stdin.")
    ] = None,
    to: Annotated[
        str | None, typer.Option(help="The language to write, where the model writes several.")
    ] = None,
    beam: Annotated[int | None, typer.Option(help="Hypotheses kept; 1 is greedy.", min=1)] = None,
    nbest: Annotated[
        int, typer.Option(help="Translations per line, each with its line's number.", min=1)
    ] = 1,
    scores: Annotated[bool, typer.Option("--scores", help="Put the score before each.")] = False,
    also: Annotated[
        list[Path] | None,
        typer.Option("--with", help="Another run to translate with as one; may be repeated."),
    ] = None,
    prefix: Annotated[str, typer.Option(help="Words that every translation begins with.")] = "",
    prefixes: Annotated[
        Path | None, typer.Option(help="A file of such words, one line for each line of text.")
    ] = None,
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
    _check_options(file, prefix, prefixes, attention is not None and bool(also))
    translator = Translator.load(run, also=also or ())
    drawn, done = attention is None, 0
    with ExitStack() as opened:
        stream = opened.enter_context(file.open("rb")) if file else sys.stdin.buffer
        lines = _with_prefixes(read_for_translation(stream, str(file or "stdin")), prefix, prefixes)
        bar = opened.enter_context(progress_bar("translating", _count(file)))
        together = 1 if file is None and sys.stdin.isatty() else WINDOW  # a person wants an answer
        while both := list(islice(lines, together)):
            window = [line for line, _ in both]
            found = translator.candidates(
                window,
                beam=beam,
                nbest=nbest,
                to=to,
                prefixes=[begin for _, begin in both],
                after_batch=bar.advance,
            )
            for number, translations in enumerate(found, done + 1):
                for one in translations:
                    before = [str(number)] if nbest > 1 else []
                    before += [f"{one.score:.4f}"] if scores else []
                    print("\t".join([*before, one.text]))
            done += len(window)
            sys.stdout.flush()
            if not drawn and attention is not None and found[0][0].text:
                _draw(translator, window[0], found[0][0].text, attention, to)
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


def _check_options(
    file: Path | None, prefix: str, prefixes: Path | None, several_drawn: bool
) -> None:
    """Refuse options that contradict each other, before anything is translated."""
    from dragoman.core.errors import ConfigError, DataError

    if several_drawn:
        raise ConfigError(
            "--attention draws one network, and --with makes it several. Leave out one."
        )
    if prefix and prefixes is not None:
        raise ConfigError("--prefix and --prefixes both say how translations begin. Leave out one.")
    if prefixes is not None and not prefixes.is_file():
        raise DataError(f"{prefixes}: there is no such file of prefixes.")
    if file is not None and prefixes is not None and _count(file) != _count(prefixes):
        raise DataError(
            f"{prefixes}: has {_count(prefixes)} lines, and {file} has {_count(file)}. "
            "Give each line of text one line; an empty one leaves it free."
        )


def _with_prefixes(
    lines: Iterator[str], prefix: str, prefixes: Path | None
) -> Iterator[tuple[str, str]]:
    """Yield each line with the words that its translation begins with."""
    from dragoman.core.errors import DataError

    if prefixes is None:
        for line in lines:
            yield line, prefix
        return
    with prefixes.open("rb") as stream:
        for line, begin in zip_longest(lines, read_for_translation(stream, str(prefixes))):
            if line is None or begin is None:
                more = "fewer" if begin is None else "more"
                raise DataError(f"{prefixes}: has {more} lines than the text. Give each line one.")
            yield line, begin


def _count(file: Path | None) -> int:
    if file is None:
        return 0
    with file.open("rb") as stream:
        return sum(1 for _ in stream)


def _draw(translator: object, source: str, target: str, path: Path, to: str | None) -> None:
    from dragoman.core.console import say
    from dragoman.data.corpus.tags import tagging
    from dragoman.engine.inference.attention import source_attention
    from dragoman.engine.inference.translator import Translator
    from dragoman.pictures.attention import draw_attention

    if not isinstance(translator, Translator):
        raise TypeError("a picture needs a translator")
    read = "".join(tagging(translator.corpus, to)(source))
    seen = source_attention(translator, read, target)
    draw_attention(seen.weights[-1], seen.source, seen.target, path, f"{source} → {target}")
    say(f"the attention picture is in {path}")
