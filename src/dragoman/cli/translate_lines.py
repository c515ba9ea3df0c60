"""`dragoman translate RUN` on stdin: one line in, one line out."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from dragoman.pipeline.segments import SegmentResult
    from dragoman.pipeline.translator import Translator
    from dragoman.plots.attention_page import AttentionSentence
    from dragoman.tasks.translation.translation import Translation

WINDOW = 2000  # lines translated together: enough for good batches, little enough to stream
PAGE, FIGURE = ".html", ".png"
MOST_DRAWN = 20  # sentences on one page

for_lines = partial(typer.Option, rich_help_panel="Translating lines")
RawOption = Annotated[
    bool,
    for_lines("--raw", help="The bare network: no sentence splitting, no placeholders, no casing."),
]
NbestOption = Annotated[
    int, for_lines(metavar="N", help="Translations per line, each with its line number.", min=1)
]
ScoresOption = Annotated[
    bool, for_lines("--scores", help="Print the score before each translation.")
]
PrefixOption = Annotated[
    str, for_lines(metavar="TEXT", help="Words that every translation starts with.")
]
PrefixesOption = Annotated[
    Path | None, for_lines(metavar="FILE", help="Such words for each line, line by line.")
]
TermOption = Annotated[
    list[str] | None,
    for_lines(metavar="A|B", help="Words (A or B) every translation contains; repeatable."),
]
AttentionOption = Annotated[
    Path | None,
    for_lines(metavar="FILE", help="Plot attention: .html of all lines, .png of the first."),
]


@dataclass(frozen=True)
class LineOptions:
    """What only lines can be asked for."""

    raw: bool = False
    nbest: int = 1
    scores: bool = False
    prefix: str = ""
    prefixes: Path | None = None
    term: Sequence[str] = ()
    attention: Path | None = None

    @property
    def needs_raw(self) -> str:
        """The first option that asks the bare network; "" where the pipeline translates."""
        given = {
            "--raw": self.raw,
            "--nbest": self.nbest > 1,
            "--scores": self.scores,
            "--prefix": self.prefix,
            "--prefixes": self.prefixes,
            "--term": self.term,
            "--attention": self.attention,
        }
        return next((name for name, value in given.items() if value), "")


def translate_lines(
    translator: "Translator", options: LineOptions, to: str | None, beam: int | None
) -> None:
    """Translate stdin as it comes, some lines at a time, through the pipeline or without it."""
    from dragoman.core.console import say

    because = options.needs_raw
    if not because:
        _through_pipeline(translator, to, beam)
        return
    if because != "--raw":
        say(
            f"{because} asks the bare network, as --raw does: sentences are not split, and "
            "placeholders and casing are left to it."
        )
    _by_bare_network(translator, options, to, beam)


def _through_pipeline(translator: "Translator", to: str | None, beam: int | None) -> None:
    """Translate each line as a text of a file, and print one line for it."""
    from dragoman.core.console import progress_bar
    from dragoman.data.formats.text_stream import text_lines, windows

    lines, notes = text_lines(sys.stdin.buffer, "stdin"), _Notes()
    with progress_bar("translating sentences", 0) as bar:
        for window in windows(lines, _together()):
            texts = [" ".join(line.replace("\x00", "").split()) for line in window]
            found = translator.translate_texts(texts, to=to, beam=beam, after_batch=bar.advance)
            _write([f"{_one_line(one.answer.text)}\n" for one in found])
            notes.add(found)
    notes.finish()


class _Notes:
    """What is said of lines beside their translations: warnings as they come, counts at the end."""

    def __init__(self) -> None:
        from dragoman.pipeline.term_forms import TermCounts

        self.lines = self.warnings = 0
        self.terms = TermCounts()

    def add(self, found: Sequence["SegmentResult"]) -> None:
        """Tell the first warnings, each with its line, and count the others."""
        from dragoman.core.console import say
        from dragoman.pipeline.text_warnings import SHOWN

        for one in found:
            self.lines += 1
            self.terms += one.terms
            for warning in one.warnings:
                self.warnings += 1
                if self.warnings <= SHOWN:
                    say(f"line {self.lines}: {warning.text}", "yellow")

    def finish(self) -> None:
        """Say how many warnings were not shown, and what became of the glossary's terms."""
        from dragoman.core.console import say
        from dragoman.pipeline.text_warnings import SHOWN

        if self.warnings > SHOWN:
            say(f"… and {self.warnings - SHOWN:,} more", "yellow")
        if counts := self.terms.text():
            say(f"glossary terms: {counts}")


def _by_bare_network(
    translator: "Translator", options: LineOptions, to: str | None, beam: int | None
) -> None:
    """Translate each line as one sentence of the network."""
    from dragoman.core.console import progress_bar
    from dragoman.data.formats.text_stream import text_lines, windows
    from dragoman.tasks.translation.requests import TranslationRequest, execute

    terms = [[words.strip() for words in one.split("|")] for one in options.term] or None
    attention, done = options.attention, 0
    picture = attention and _Picture(attention, translator, to)
    lines = text_lines(sys.stdin.buffer, "stdin")
    both_sides = _with_prefixes(lines, options.prefix, options.prefixes)
    with progress_bar("translating", 0) as bar:
        for both in windows(both_sides, _together(), lambda one: len(one[0])):
            window, begins = [line for line, _ in both], [begin for _, begin in both]
            wanted = None if terms is None else [terms for _ in window]
            request = TranslationRequest(
                texts=window, beam=beam, nbest=options.nbest, to=to, prefixes=begins, terms=wanted
            )
            found = execute(translator.bare, request, bar.advance)
            _print(found, done + 1, numbers=options.nbest > 1, scores=options.scores)
            done += len(window)
            if picture:
                picture.add(window, [best[0].text for best in found])
    if picture:
        picture.finish()


def _one_line(text: str) -> str:
    """Whatever any program may take for the end of a line becomes a space; NULs go."""
    return " ".join(text.replace("\x00", "").splitlines())


def _together() -> int:
    """Return how many lines are translated at a time; a person wants an answer to each."""
    return 1 if sys.stdin.isatty() else WINDOW


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
            say(f"line {number}: {lacks} of its terms refused, for want of a place.", "yellow")
    _write(lines)


def _write(lines: Sequence[str]) -> None:
    sys.stdout.write("".join(lines))  # at once, so that an interruption does not cut a line
    sys.stdout.flush()


def check_lines(options: LineOptions, several: bool) -> None:
    """Refuse options that cannot be met, before anything is translated."""
    from dragoman.cli.contradictions import refuse_both
    from dragoman.core.errors import DataError

    refuse_both({"--prefix": options.prefix, "--prefixes": options.prefixes})
    if options.prefixes is not None and not options.prefixes.is_file():
        raise DataError(f"{options.prefixes}: there is no such file of prefixes.")
    _check_picture(options.attention, several)


def _check_picture(path: Path | None, several: bool) -> None:
    """Refuse a picture that cannot be drawn, before anything is translated."""
    from dragoman.core.errors import ConfigError, DataError

    if path is None:
        return
    if several:
        raise ConfigError(
            "--attention plots one network, and --ensemble makes it several. Leave one out."
        )
    if path.suffix.lower() not in (PAGE, FIGURE):
        raise ConfigError(f"--attention {path}: the name must end in {PAGE} or {FIGURE}.")
    if not path.parent.is_dir():
        raise DataError(f"{path.parent}: there is no such folder to put {path.name} in.")


def _with_prefixes(
    lines: Iterator[str], prefix: str, prefixes: Path | None
) -> Iterator[tuple[str, str]]:
    """Yield each line with the words that its translation begins with."""
    from dragoman.core.errors import DataError
    from dragoman.data.formats.text_stream import text_lines

    if prefixes is None:
        for line in lines:
            yield line, prefix
        return
    with prefixes.open("rb") as stream:
        for line, begin in zip_longest(lines, text_lines(stream, str(prefixes))):
            if line is None or begin is None:
                more = "fewer" if begin is None else "more"
                raise DataError(f"{prefixes}: has {more} lines than the text; one each is needed.")
            yield line, begin


class _Picture:
    """What the words of the first lines looked at, drawn as soon as they are translated."""

    def __init__(self, path: Path, translator: "Translator", to: str | None) -> None:
        from dragoman.tasks.translation.attention import check_attention

        check_attention(translator.bare.model)
        self.path, self.translator, self.to = path, translator.bare, to
        self.title = translator.run.resolve().name
        self.page = path.suffix.lower() == PAGE
        self.seen: list[AttentionSentence] = []
        self.left_out = 0

    def add(self, sources: list[str], targets: list[str]) -> None:
        """Look at lines until there are enough; a line without words is not counted."""
        from dragoman.tasks.translation.attention_report import attention_report

        before = len(self.seen)
        for source, target in zip(sources, targets, strict=True):
            if len(self.seen) == (MOST_DRAWN if self.page else 1):
                break
            if target:
                found = attention_report(self.translator, source, target, self.to)
                self.seen += [found] if found else []
                self.left_out += not found
        if len(self.seen) > before:
            self._draw()

    def finish(self) -> None:
        """Say where the picture is, and what is not in it."""
        from dragoman.core.console import say

        if self.left_out:
            lines = "1 line is" if self.left_out == 1 else f"{self.left_out} lines are"
            say(f"{lines} too long to plot, and left out of {self.path}.", "yellow")
        if self.seen:
            say(f"the attention {'page' if self.page else 'plot'} is in {self.path}")
        else:
            say(f"{self.path}: not written; no line has a translation to plot.", "yellow")

    def _draw(self) -> None:
        from dragoman.plots.attention import draw_attention
        from dragoman.plots.attention_page import draw_attention_page

        if self.page:
            draw_attention_page(self.seen, self.path, self.title)
            return
        (one,) = self.seen
        across = one.maps[0]
        labels = across.columns.pieces, across.rows.pieces
        draw_attention(across.layers[-1], *labels, self.path, f"{one.source} → {one.target}")
