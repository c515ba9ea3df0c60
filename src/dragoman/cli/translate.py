"""`dragoman translate`."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from itertools import islice, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO, Literal

import typer

if TYPE_CHECKING:
    from dragoman.engine.inference.translation import Translation
    from dragoman.engine.inference.translator import Translator
    from dragoman.pictures.attention_page import Sentence

WINDOW = 2000  # lines translated together: enough for good batches, little enough to stream
PAGE, PICTURE = ".html", ".png"
MOST_DRAWN = 20  # sentences on one page

TermOption = Annotated[
    list[str] | None,
    typer.Option(
        help='Words that every translation holds; spellings as "this|that". May be repeated.'
    ),
]
SearchOption = Annotated[
    Literal["beam", "sample", "mbr"] | None,
    typer.Option(help="The likeliest, one drawn by chance, or the one most like many drawn."),
]
ChangeOption = Annotated[
    list[str] | None,
    typer.Option("--set", help="Another of the decoding settings, as groups=4; may be repeated."),
]


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
    term: TermOption = None,
    search: SearchOption = None,
    samples: Annotated[int | None, typer.Option(help="How many to draw for mbr.", min=1)] = None,
    seed: Annotated[int | None, typer.Option(help="What is drawn follows from it.", min=0)] = None,
    change: ChangeOption = None,
    attention: Annotated[
        Path | None,
        typer.Option(
            help="Draw what words looked at: a page to explore (.html), or the first line (.png)."
        ),
    ] = None,
    engine: Annotated[
        Literal["torch", "ctranslate2"],
        typer.Option(help="Who translates; CTranslate2 also reads what was exported for it."),
    ] = "torch",
) -> None:
    """Translate line by line, stdin to stdout; one line in, one line out, order kept."""
    from dragoman.core.console import progress_bar
    from dragoman.engine.inference.translator import Translator

    _check_options(file, prefix, prefixes)
    _check_picture(attention, bool(also))
    translator = Translator.load(run, also=also or (), engine=engine)
    named = {"search": search, "samples": samples, "seed": seed}
    translator = _searching(translator, named, change or [])
    terms = [[words.strip() for words in one.split("|")] for one in term or ()] or None
    picture, done = attention and _Picture(attention, translator, run, to), 0
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
                terms=terms and [terms] * len(window),
                after_batch=bar.advance,
            )
            _print(found, done + 1, numbers=nbest > 1, scores=scores)
            done += len(window)
            if picture:
                picture.add(window, [best[0].text for best in found])
    if picture:
        picture.finish()


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


def _searching(
    translator: "Translator", named: Mapping[str, int | str | None], changes: list[str]
) -> "Translator":
    """Have the translator search as the options say."""
    from dragoman.config.reading import changed_settings

    given = [f"{key}={value}" for key, value in named.items() if value is not None]
    if not given and not changes:
        return translator
    decoding = changed_settings("decoding", translator.decoding, [*given, *changes])
    return translator.searching(decoding)


def _print(found: list[list["Translation"]], first: int, *, numbers: bool, scores: bool) -> None:
    """Print the translations of the lines from the first on, and say what they lack."""
    from dragoman.core.console import say

    lines: list[str] = []
    for number, translations in enumerate(found, first):
        for one in translations:
            before = [str(number)] if numbers else []
            before += [f"{one.score:.4f}"] if scores else []
            lines.append("\t".join([*before, one.text]) + "\n")
        if translations[0].unmet:
            lacks = translations[0].unmet
            say(f"line {number}: no room for {lacks} of its terms in the translation.", "yellow")
    sys.stdout.write("".join(lines))  # at once, so that an interruption does not cut a line
    sys.stdout.flush()


def _check_options(file: Path | None, prefix: str, prefixes: Path | None) -> None:
    """Refuse options that contradict each other, before anything is translated."""
    from dragoman.core.errors import ConfigError, DataError

    if file is not None and not file.is_file():
        raise DataError(f"{file}: there is no such file to translate.")
    if prefix and prefixes is not None:
        raise ConfigError("--prefix and --prefixes both say how translations begin. Leave out one.")
    if prefixes is not None and not prefixes.is_file():
        raise DataError(f"{prefixes}: there is no such file of prefixes.")
    if file is not None and prefixes is not None and _count(file) != _count(prefixes):
        raise DataError(
            f"{prefixes}: has {_count(prefixes)} lines, and {file} has {_count(file)}. "
            "Give each line of text one line; an empty one leaves it free."
        )


def _check_picture(path: Path | None, several: bool) -> None:
    """Refuse a picture that cannot be drawn, before anything is translated."""
    from dragoman.core.errors import ConfigError, DataError

    if path is None:
        return
    if several:
        raise ConfigError(
            "--attention draws one network, and --with makes it several. Leave out one."
        )
    if path.suffix.lower() not in (PAGE, PICTURE):
        raise ConfigError(f"--attention {path}: give a name that ends in {PAGE} or {PICTURE}.")
    if not path.parent.is_dir():
        raise DataError(f"{path.parent}: there is no such folder to put {path.name} in.")


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


class _Picture:
    """What the words of the first lines looked at, drawn as soon as they are translated."""

    def __init__(self, path: Path, translator: "Translator", run: Path, to: str | None) -> None:
        from dragoman.engine.inference.attention import check_attention

        check_attention(translator.model)
        self.path, self.translator, self.to = path, translator, to
        self.title = run.resolve().name
        self.page = path.suffix.lower() == PAGE
        self.seen: list[Sentence] = []
        self.left_out = 0

    def add(self, sources: list[str], targets: list[str]) -> None:
        """Look at lines until there are enough; a line without words is not counted."""
        from dragoman.engine.inference.watched import watched

        before = len(self.seen)
        for source, target in zip(sources, targets, strict=True):
            if len(self.seen) == (MOST_DRAWN if self.page else 1):
                break
            if target:
                found = watched(self.translator, source, target, self.to)
                self.seen += [found] if found else []
                self.left_out += not found
        if len(self.seen) > before:
            self._draw()

    def finish(self) -> None:
        """Say where the picture is, and what is not in it."""
        from dragoman.core.console import say

        if self.left_out:
            lines = "1 line is" if self.left_out == 1 else f"{self.left_out} lines are"
            say(f"{lines} too long to be seen whole, and left out of {self.path}.", "yellow")
        if self.seen:
            say(f"the attention {'page' if self.page else 'picture'} is in {self.path}")
        else:
            say(f"{self.path}: not written, for no line has a translation to draw.", "yellow")

    def _draw(self) -> None:
        from dragoman.pictures.attention import draw_attention
        from dragoman.pictures.attention_page import draw_attention_page

        if self.page:
            draw_attention_page(self.seen, self.path, self.title)
            return
        (one,) = self.seen
        across = one.maps[0]
        labels = across.columns.pieces, across.rows.pieces
        draw_attention(across.layers[-1], *labels, self.path, f"{one.source} → {one.target}")
