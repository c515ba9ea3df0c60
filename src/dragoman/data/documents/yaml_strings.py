"""Translation files in YAML: every text that is a value, whatever style it is written in.

A text keeps its style where that can hold the answer; otherwise it gets quotation marks. Comments,
anchors, tags, names and values that are no text stay. As Rails has it, a file whose only outermost
name is the source language gets the target language there with its first answer; in both files the
keys of texts begin after it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any, NamedTuple

from dragoman.core.errors import ConfigError, DataError
from dragoman.data.documents.document import Document, Segment, SegmentTranslation, Slot, TextFile
from dragoman.data.documents.line_numbers import LineNumbers
from dragoman.data.documents.paths import extend_path
from dragoman.data.documents.text_decoding import decode_text, has_letters, line_of
from dragoman.data.documents.yaml_styles import Scalar, resolves_to_text, rewritten
from dragoman.data.formats.languages import LanguagePair, plain

DEEPEST = 200
"""Lists and names inside one another; PyYAML becomes slow beyond."""


def read_yaml(data: bytes, name: str, wanted: LanguagePair) -> Document:
    """Read a file of one or several YAML documents."""
    yaml = _yaml()
    text = decode_text(data, name)
    start = 1 if text.startswith("\ufeff") else 0
    try:
        scalars = list(_scalars(yaml, text[start:], name))
    except yaml.YAMLError as error:
        raise _error(error, text, name) from error
    lines = LineNumbers(text)
    root = _root(scalars, wanted)
    segments: list[Segment] = []
    slots: list[Slot] = []
    for found in scalars:
        if found.is_name or not has_letters(found.scalar.text):
            continue
        where = f"line {lines.of(found.scalar.begin + start)}, key {found.path}"
        number = len(segments)
        key = found.path.removeprefix(root)
        segments.append(Segment(found.scalar.text, where=where, key=key))
        slots.append(_slot(text, start, found.scalar, number))
    slots = _with_language(text, start, scalars, slots, wanted)
    return TextFile(text, tuple(segments), tuple(slots))


class _Found(NamedTuple):
    scalar: Scalar
    path: str
    is_name: bool
    depth: int


@dataclass
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
    tokens = iter(_scalar_tokens(yaml, text, name))
    levels = [_Level("", is_mapping=False, is_flow=False)]
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
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
        elif isinstance(event, yaml.ScalarEvent) and (event.value or event.style):
            token = next(tokens)
            scalar = Scalar(
                token.start_mark.index,
                token.end_mark.index,
                event.value,
                event.style or "",
                level.is_flow,
            )
            if level.at_name or resolves_to_text(yaml, event):
                yield _Found(scalar, path, level.at_name, len(levels))
            level.name = event.value if level.at_name else level.name
        level.count += 1


def _scalar_tokens(yaml: ModuleType, text: str, name: str) -> list[Any]:
    """Return where scalars stand: the events do not say, they count anchors and tags in."""
    found, depth = [], 0
    for token in yaml.scan(text, Loader=yaml.SafeLoader):
        kind = type(token).__name__
        if kind == "ScalarToken":
            found.append(token)
        elif kind.endswith(("SequenceStartToken", "MappingStartToken")):
            depth += 1
            if depth > DEEPEST:
                line = line_of(text, token.start_mark.index)
                raise DataError(f"{name}:{line}: more than {DEEPEST} levels inside one another.")
        elif kind.endswith(("SequenceEndToken", "MappingEndToken", "BlockEndToken")):
            depth -= 1
    return found


def _slot(text: str, start: int, scalar: Scalar, number: int) -> Slot:
    begin = scalar.begin + start
    end = scalar.content_end(text[begin : scalar.end + start]) + start

    def write(answers: Mapping[int, SegmentTranslation]) -> str:
        answer = answers[number]
        if not answer.sure or answer.text == scalar.text:
            return text[begin:end]
        return rewritten(_yaml(), scalar, text[begin:end], answer.text)

    return Slot(begin, end, (number,), write)


def _root(scalars: list[_Found], wanted: LanguagePair) -> str:
    """Return how the paths of a file begin whose only outermost name is one of the languages."""
    outermost = [found.scalar.value for found in scalars if found.is_name and found.depth == 2]
    own = {plain(wanted.source), plain(wanted.target)}
    return f"{outermost[0]}." if len(outermost) == 1 and plain(outermost[0]) in own else ""


def _with_language(
    text: str, start: int, scalars: list[_Found], slots: list[Slot], wanted: LanguagePair
) -> list[Slot]:
    """Add a slot for the outermost name if it is the only one and the source language."""
    outermost = [found.scalar for found in scalars if found.is_name and found.depth == 2]
    if len(outermost) != 1 or not slots or plain(outermost[0].value) != plain(wanted.source):
        return slots
    scalar, every = outermost[0], tuple(range(len(slots)))
    begin, end = scalar.begin + start, scalar.end + start

    def write(answers: Mapping[int, SegmentTranslation]) -> str:
        return rewritten(_yaml(), scalar, text[begin:end], wanted.target)

    return sorted([Slot(begin, end, every, write), *slots], key=lambda slot: slot.begin)
