"""`dragoman translate RUN FILE...`: files of any kind, their format kept."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from dragoman.data.formats.languages import LanguagePair
    from dragoman.pipeline.files import FileReport
    from dragoman.pipeline.translator import Translator

for_files = partial(typer.Option, rich_help_panel="Translating files")
OutputOption = Annotated[
    Path | None,
    for_files(metavar="FILE", help="File or folder to write, - for stdout. [default: by name]"),
]
InPlaceOption = Annotated[
    bool, for_files("--in-place", help="Replace each file by its translation.")
]
ForceOption = Annotated[bool, for_files("--force", help="Overwrite translated files that exist.")]
AllOption = Annotated[
    bool, for_files("--all", help="Also translate texts that have a translation already.")
]
ConfidenceOption = Annotated[
    float,
    for_files(metavar="P", help="Leave texts below this confidence (PO: fuzzy).", min=0.0, max=1.0),
]
ColumnOption = Annotated[
    str, for_files(metavar="NAME", help="Table column to translate, by name or number.")
]
IntoOption = Annotated[
    str, for_files(metavar="NAME", help="Table column to write. [default: a new one]")
]

STDOUT = Path("-")
MOST_PLACES = 3  # of texts that are too long, named in the report
KEYED = ("json", "yaml")
"""Formats of one language whose texts have names: what is translated once stays."""


@dataclass(frozen=True)
class FileOptions:
    """What is to be done with files."""

    output: Path | None = None
    in_place: bool = False
    force: bool = False
    everything: bool = False
    least: float = 0.0
    column: str = ""
    into: str = ""
    to: str | None = None
    beam: int | None = None


def translate_files(translator: "Translator", files: Sequence[Path], options: FileOptions) -> None:
    """Translate files one after the other; each is written whole or not at all."""
    from dragoman.core.console import progress_bar, say
    from dragoman.data.documents.open import open_document
    from dragoman.data.documents.table import TableColumns
    from dragoman.engine.checkpoint.folder import RunFolder
    from dragoman.pipeline.confidence import Confidence
    from dragoman.pipeline.files import FileRequest, translate_document
    from dragoman.pipeline.load import languages
    from dragoman.pipeline.text_warnings import warning_lines

    wanted = languages(translator.bare, options.to)
    columns = TableColumns(options.column, options.into)
    places = [_place(path, files, wanted, options) for path in files]
    _check_apart(files, places)
    opened = [open_document(path, wanted, columns) for path in files]
    confidence = Confidence.load(RunFolder(translator.run)) if options.least > 0 else None
    pipeline = translator.pipeline(to=options.to, beam=options.beam)
    for path, place, document in zip(files, places, opened, strict=True):
        earlier = {} if place == path else _earlier(place, wanted)
        request = FileRequest(options.everything, options.least, earlier)
        with progress_bar(path.name, len(document.segments)) as bar:
            data, report = translate_document(document, pipeline, request, confidence, bar.advance)
        _write(place, data)
        warned = [(_located(path, where), one) for where, one in report.warnings]
        for line in warning_lines(warned, report.warned):
            say(line, "yellow")
        say(f"{'-' if place is STDOUT else place}: {_in_words(report)}")


def _place(path: Path, files: Sequence[Path], wanted: "LanguagePair", options: FileOptions) -> Path:
    """Say where a translated file goes."""
    from dragoman.core.errors import ConfigError, DataError
    from dragoman.data.documents.open import translated_name

    if not path.is_file():
        what = "is not a file" if path.exists() else "there is no such file"
        raise DataError(f"{path}: {what} to translate.")
    if options.in_place:
        return path
    if options.output == STDOUT:
        if len(files) > 1:
            raise ConfigError("--output - takes one file. Give a folder for several.")
        return STDOUT
    name, output = translated_name(path, wanted), options.output
    if output is None:
        place = name
    elif len(files) == 1 and not output.is_dir():
        place = output
    else:
        place = output / name.name
    _check_place(place, path, options)
    return place


def _check_apart(files: Sequence[Path], places: Sequence[Path]) -> None:
    """Refuse two files that would be written to one place."""
    from dragoman.core.errors import ConfigError

    taken: dict[Path, Path] = {}
    for path, place in zip(files, places, strict=True):
        other = taken.setdefault(place.resolve(), path)
        if other is not path:
            raise ConfigError(
                f"{other} and {path} would both be written to {place}. Translate one at a time."
            )


def _check_place(place: Path, path: Path, options: FileOptions) -> None:
    """Refuse a place where a file would be lost, or could not be written."""
    from dragoman.core.errors import ConfigError, DataError
    from dragoman.data.documents.open import format_of

    if place.resolve() == path.resolve():
        raise ConfigError(f"{path}: would overwrite itself. If you mean it, use --in-place.")
    if not place.parent.is_dir():
        raise DataError(f"{place.parent}: there is no such folder to put {place.name} in.")
    if place.exists() and not (options.force or format_of(path) in KEYED):
        raise DataError(f"{place}: exists already. Remove it, or use --output or --force.")


def _earlier(place: Path, wanted: "LanguagePair") -> dict[str, str]:
    """Return the texts of an earlier translation by their keys, if there is one that has keys."""
    from dragoman.data.documents.open import format_of, open_document

    if place == STDOUT or not place.is_file() or format_of(place) not in KEYED:
        return {}
    return {one.key: one.text for one in open_document(place, wanted).segments}


def _write(place: Path, data: bytes) -> None:
    import sys

    from dragoman.core.files import write_atomic

    if place == STDOUT:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    else:
        write_atomic(place.resolve(), data)  # a link stays one


def _located(path: Path, where: str) -> str:
    """Name a place in a file as compilers do: my.po:17, and its key if it has one."""
    line, _, key = where.removeprefix("line ").partition(", ")
    if not line.isdigit():
        return f"{path}: {where}" if where else f"{path}"
    return f"{path}:{line}: {key}" if key else f"{path}:{line}"


def _in_words(report: "FileReport") -> str:
    """Say what became of the texts of a file, without what did not happen."""
    from dragoman.data.formats.text_stream import MAX_LINE_BYTES

    notes = [
        (report.kept, "kept as they were"),
        (report.recalled, "from the translation memory"),
        (report.unsure, "below --min-confidence, marked or left as they are"),
        (report.insisted, "searched again because a placeholder was lost"),
        (report.in_parts, "translated in parts because something was lost"),
        (report.placed, "glossary terms placed"),
        (report.inflected, "glossary terms inflected"),
        (report.refused, "glossary terms refused, because they had no place in the sentence"),
        (report.warned, "unlike what the model was trained on"),
    ]
    said = [f"{number:,} {words}" for number, words in notes if number]
    if report.too_long:
        places = ", ".join(report.too_long[:MOST_PLACES])
        said.append(
            f"{len(report.too_long):,} longer than {MAX_LINE_BYTES:,} characters, left as they are "
            f"({places}{', …' if len(report.too_long) > MOST_PLACES else ''})"
        )
    return "; ".join([f"{report.translated:,} of {report.texts:,} texts translated", *said])
