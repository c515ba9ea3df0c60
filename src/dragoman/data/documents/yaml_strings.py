"""Translation files in YAML: every text that is a value, whatever style it is written in.

A text keeps its style where that can hold the answer; otherwise it gets quotation marks. Comments,
anchors, tags, names and values that are no text stay. As Rails has it, a file whose only outermost
name is the source language gets the target language there with its first answer; in both files the
keys of texts begin after it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any, NamedTuple

from dragoman.core.errors import ConfigError, DataError
from dragoman.data.documents.document import (
    MOST_SEGMENTS,
    BoundedList,
    Document,
    Segment,
    SegmentTranslation,
    Slot,
    TextFile,
)
from dragoman.data.documents.line_numbers import LineNumbers
from dragoman.data.documents.paths import extend_path
from dragoman.data.documents.text_decoding import decode_text, has_letters, line_of
from dragoman.data.documents.yaml_styles import Scalar, resolves_to_text, rewritten
from dragoman.data.formats.languages import LanguagePair, plain

OUTERMOST = 2
"""The depth of the names of a file: inside its document, and inside the mapping that it is."""
DEEPEST = 200
"""Lists and names inside one another; PyYAML becomes slow beyond."""


def read_yaml(data: bytes, name: str, wanted: LanguagePair, most: int = MOST_SEGMENTS) -> Document:
    """Read a file of one or several YAML documents."""
    yaml = _yaml()
    text = decode_text(data, name)
    start = 1 if text.startswith("\ufeff") else 0
    lines = LineNumbers(text)
    segments = BoundedList[Segment](name, most)
    slots: list[Slot] = []
    outermost: list[Scalar] = []
    try:
        for found in _scalars(yaml, text[start:], name):
            if found.is_name:
                outermost += [found.scalar] if found.depth == OUTERMOST else []
            elif has_letters(found.scalar.text):
                where = f"line {lines.of(found.scalar.begin + start)}, key {found.path}"
                slots.append(_slot(text, start, found.scalar, len(segments)))
                segments.append(Segment(found.scalar.text, where=where, key=found.path))
    except yaml.YAMLError as error:
        raise _error(error, text, name) from error
    if len(outermost) != 1:
        return TextFile(text, tuple(segments), tuple(slots))
    language = plain(outermost[0].value)
    if language == plain(wanted.source):
        slots = _with_language(text, start, outermost[0], slots, wanted)
    if language in (plain(wanted.source), plain(wanted.target)):
        root = f"{outermost[0].value}."
        segments[:] = [replace(one, key=one.key.removeprefix(root)) for one in segments]
    return TextFile(text, tuple(segments), tuple(slots))


class _Found(NamedTuple):
    scalar: Scalar
    path: str
    is_name: bool
    depth: int


@dataclass(slots=True)
class _Level:
    """A list or a mapping that is open."""

    path: str
    is_mapping: bool
    is_flow: bool
    count: int = 0
    name: str = ""

    @property
    def at_name(self) -> bool:
        """Whether the next node is the name of a value."""
        return self.is_mapping and self.count % 2 == 0

    def step(self) -> str:
        """Return the path of the node that comes next."""
        return extend_path(self.path, self.name if self.is_mapping else self.count)


def _yaml() -> ModuleType:
    try:
        import yaml
    except ImportError:
        install = "pip install 'dragoman[documents]'"
        raise ConfigError(f"YAML files need PyYAML. Install it: {install}") from None
    return yaml


def _error(error: Exception, text: str, name: str) -> DataError:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    place = mark.index if mark else getattr(error, "position", 0)
    what = getattr(error, "problem", None) or getattr(error, "reason", None) or "unreadable"
    return DataError(f"{name}:{line_of(text, int(place))}: not YAML ({what}).")


def _scalars(yaml: ModuleType, text: str, name: str) -> Iterator[_Found]:
    """Yield the scalars that are texts, and all that are names, in the order of the file."""
    parser = _parser(yaml, text)
    levels = [_Level("", is_mapping=False, is_flow=False)]
    while parser.check_event():
        event = parser.get_event()
        level = levels[-1]
        if isinstance(event, yaml.CollectionEndEvent):
            levels.pop()
            continue
        if not isinstance(event, yaml.NodeEvent):
            continue
        path = "" if len(levels) == 1 else level.step()
        if isinstance(event, yaml.CollectionStartEvent):
            is_mapping = isinstance(event, yaml.MappingStartEvent)
            levels.append(_Level(path, is_mapping, level.is_flow or bool(event.flow_style)))
            level.name = "?" if level.at_name else level.name
            _check_depth(levels, event, name)
        elif isinstance(event, yaml.ScalarEvent) and (event.value or event.style):
            begin, end = parser.span
            scalar = Scalar(begin, end, event.value, event.style or "", level.is_flow)
            if level.at_name or resolves_to_text(yaml, event):
                yield _Found(scalar, path, level.at_name, len(levels))
            level.name = event.value if level.at_name else level.name
        level.count += 1


def _check_depth(levels: list[_Level], event: Any, name: str) -> None:
    if len(levels) - 1 > DEEPEST:
        line = event.start_mark.line + 1
        raise DataError(f"{name}:{line}: more than {DEEPEST} levels inside one another.")


def _parser(yaml: ModuleType, text: str) -> Any:
    """Return a parser of YAML that notes where the last scalar stood.

    Its events do not say so: they count anchors and tags in.
    """

    class SpanParser(yaml.SafeLoader):  # type: ignore[misc, name-defined]
        span = (0, 0)

        def get_token(self) -> Any:
            token = super().get_token()
            if type(token) is yaml.ScalarToken:
                self.span = (token.start_mark.index, token.end_mark.index)
            return token

    return SpanParser(text)


def _slot(text: str, start: int, scalar: Scalar, number: int) -> Slot:
    begin = scalar.begin + start
    end = scalar.content_end(text[begin : scalar.end + start]) + start

    def write(answers: Mapping[int, SegmentTranslation]) -> str:
        answer = answers[number]
        if not answer.sure or answer.text == scalar.text:
            return text[begin:end]
        return rewritten(_yaml(), scalar, text[begin:end], answer.text)

    return Slot(begin, end, (number,), write)


def _with_language(
    text: str, start: int, scalar: Scalar, slots: list[Slot], wanted: LanguagePair
) -> list[Slot]:
    """Add a slot for the only outermost name, which is the source language."""
    every = tuple(range(len(slots)))
    begin, end = scalar.begin + start, scalar.end + start

    def write(answers: Mapping[int, SegmentTranslation]) -> str:
        return rewritten(_yaml(), scalar, text[begin:end], wanted.target)

    return sorted([Slot(begin, end, every, write), *slots], key=lambda slot: slot.begin)
