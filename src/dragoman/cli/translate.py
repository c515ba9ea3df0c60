"""`dragoman translate`."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO, Literal

import typer

from dragoman.cli import translate_files as whole_files

if TYPE_CHECKING:
    from dragoman.plots.attention_page import AttentionSentence
    from dragoman.tasks.translation.bare_translator import BareTranslator
    from dragoman.tasks.translation.translation import Translation

WINDOW = 2000  # lines translated together: enough for good batches, little enough to stream
PAGE, FIGURE = ".html", ".png"
MOST_DRAWN = 20  # sentences on one page

for_lines = partial(typer.Option, rich_help_panel="Translating lines")
for_model = partial(typer.Option, rich_help_panel="Model")
for_search = partial(typer.Option, rich_help_panel="Search")
SearchOption = Annotated[
    Literal["beam", "sample", "mbr"] | None,
    for_search(
        metavar="beam|sample|mbr",
        help="Beam search, sampling or minimum Bayes risk. [default: the run's]",
    ),
]


def translate(  # noqa: PLR0913 - one argument for each option
    run: Annotated[Path, typer.Argument(help="The run folder.")],
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="FILE", help="Files to translate; without any, lines from stdin."),
    ] = None,
    to: Annotated[
        str | None, for_model(metavar="LANGUAGE", help="Target language, if the model has several.")
    ] = None,
    also: Annotated[
        list[Path] | None,
        for_model("--ensemble", metavar="RUN", help="Another run to ensemble with; repeatable."),
    ] = None,
    engine: Annotated[
        Literal["torch", "ctranslate2"],
        for_model(metavar="torch|ctranslate2", help="Inference engine."),
    ] = "torch",
    search: SearchOption = None,
    beam: Annotated[
        int | None,
        for_search(metavar="N", help="Beam size; 1 is greedy. [default: the run's]", min=1),
    ] = None,
    samples: Annotated[
        int | None, for_search(metavar="N", help="Samples drawn for mbr.", min=1)
    ] = None,
    seed: Annotated[int | None, for_search(metavar="N", help="Seed of sampling.", min=0)] = None,
    change: Annotated[
        list[str] | None,
        for_search("--set", metavar="KEY=VALUE", help="A decoding setting; repeatable."),
    ] = None,
    nbest: Annotated[
        int, for_lines(metavar="N", help="Translations per line, each with its line number.", min=1)
    ] = 1,
    scores: Annotated[
        bool, for_lines("--scores", help="Print the score before each translation.")
    ] = False,
    prefix: Annotated[
        str, for_lines(metavar="TEXT", help="Words that every translation starts with.")
    ] = "",
    prefixes: Annotated[
        Path | None, for_lines(metavar="FILE", help="Such words for each line, line by line.")
    ] = None,
    term: Annotated[
        list[str] | None,
        for_lines(metavar="A|B", help="Words (A or B) every translation contains; repeatable."),
    ] = None,
    attention: Annotated[
        Path | None,
        for_lines(metavar="FILE", help="Plot attention: .html of all lines, .png of the first."),
    ] = None,
    output: whole_files.OutputOption = None,
    in_place: whole_files.InPlaceOption = False,
    force: whole_files.ForceOption = False,
    everything: whole_files.AllOption = False,
    glossary: whole_files.GlossaryOption = None,
    memory: whole_files.MemoryOption = None,
    min_confidence: whole_files.ConfidenceOption = 0.0,
    column: whole_files.ColumnOption = "",
    into: whole_files.IntoOption = "",
) -> None:
    """Translate lines from stdin to stdout, or whole files, keeping their format."""
    from dragoman.tasks.translation.bare_translator import BareTranslator

    asked = whole_files.FileOptions(
        output, in_place, force, everything, glossary, memory, min_confidence, column, into
    )
    lines = LineOptions(nbest, scores, prefix, prefixes, term or (), attention)
    _check_options(bool(files), asked != whole_files.FileOptions(), lines != LineOptions())
    _check_lines(lines, bool(also))
    translator = BareTranslator.load(run, also=also or (), engine=engine)
    named = {"search": search, "samples": samples, "seed": seed}
    translator = _searching(translator, named, change or [])
    if files:
        whole_files.translate_files(run, translator, files, replace(asked, to=to, beam=beam))
    else:
        _translate_lines(run, translator, lines, to, beam)


@dataclass(frozen=True)
class LineOptions:
    """What only lines can be asked for."""

    nbest: int = 1
    scores: bool = False
    prefix: str = ""
    prefixes: Path | None = None
    term: Sequence[str] = ()
    attention: Path | None = None


def _translate_lines(
    run: Path, translator: "BareTranslator", options: LineOptions, to: str | None, beam: int | None
) -> None:
    """Translate stdin as it comes, some lines at a time."""
    from dragoman.core.console import progress_bar
    from dragoman.pipeline.repetition import loop_free
    from dragoman.tasks.translation.requests import TranslationRequest, run_coroutine

    terms = [[words.strip() for words in one.split("|")] for one in options.term] or None
    attention, done = options.attention, 0
    picture = attention and _Picture(attention, translator, run, to)
    lines = read_for_translation(sys.stdin.buffer, "stdin")
    both_sides = _with_prefixes(lines, options.prefix, options.prefixes)
    together = 1 if sys.stdin.isatty() else WINDOW  # a person wants an answer
    with progress_bar("translating", 0) as bar:
        while both := list(islice(both_sides, together)):
            window, begins = [line for line, _ in both], [begin for _, begin in both]
            wanted = None if terms is None else [terms for _ in window]
            question = TranslationRequest(
                texts=window, beam=beam, nbest=options.nbest, to=to, prefixes=begins, terms=wanted
            )
            found = run_coroutine(translator, loop_free(question), bar.advance)
            _print(found, done + 1, numbers=options.nbest > 1, scores=options.scores)
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
            say(f"{name}:{number}: is not valid UTF-8; invalid bytes are replaced.", "yellow")
            told = True
        yield text


def _searching(
    translator: "BareTranslator", named: Mapping[str, int | str | None], changes: list[str]
) -> "BareTranslator":
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
            say(f"line {number}: {lacks} of its terms refused, for want of a place.", "yellow")
    sys.stdout.write("".join(lines))  # at once, so that an interruption does not cut a line
    sys.stdout.flush()


def _check_options(files: bool, files_asked: bool, lines_asked: bool) -> None:
    """Refuse options that do not fit what is translated, before anything is."""
    from dragoman.core.errors import ConfigError

    if files and lines_asked:
        raise ConfigError(
            "--nbest, --scores, --prefix, --prefixes, --term and --attention are for lines. "
            "Leave them out, or pass the file on stdin: < FILE."
        )
    if not files and files_asked:
        raise ConfigError(
            "--output, --in-place, --force, --all, --glossary, --memory, --min-confidence, "
            "--column and --into are for files. Name a file, or leave them out."
        )


def _check_lines(options: LineOptions, several: bool) -> None:
    from dragoman.core.errors import ConfigError, DataError

    if options.prefix and options.prefixes is not None:
        raise ConfigError("--prefix and --prefixes exclude each other. Leave one out.")
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

    if prefixes is None:
        for line in lines:
            yield line, prefix
        return
    with prefixes.open("rb") as stream:
        for line, begin in zip_longest(lines, read_for_translation(stream, str(prefixes))):
            if line is None or begin is None:
                more = "fewer" if begin is None else "more"
                raise DataError(f"{prefixes}: has {more} lines than the text; one each is needed.")
            yield line, begin


class _Picture:
    """What the words of the first lines looked at, drawn as soon as they are translated."""

    def __init__(self, path: Path, translator: "BareTranslator", run: Path, to: str | None) -> None:
        from dragoman.tasks.translation.attention import check_attention

        check_attention(translator.model)
        self.path, self.translator, self.to = path, translator, to
        self.title = run.resolve().name
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
