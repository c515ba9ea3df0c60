"""Translation files of the trade, XLIFF 1.2 and 2.x: targets are filled in beside their sources."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from dragoman.core.errors import DataError
from dragoman.data.documents.document import (
    MOST_SEGMENTS,
    BoundedList,
    Segment,
    SegmentTranslation,
    Slot,
    TextFile,
)
from dragoman.data.documents.inline_markup import MarkedText, build_marked_text
from dragoman.data.documents.xml_inlines import inline_pieces, plain_text
from dragoman.data.documents.xml_text import Xml, XmlKind, escape_xml, read_xml, with_attribute
from dragoman.data.formats.languages import LanguagePair, choose

LANGUAGES = {"file": ("source-language", "target-language"), "xliff": ("srcLang", "trgLang")}
UNTRANSLATED = {"new", "needs-translation", "initial"}
"""States of targets that may be mere copies of their sources."""


@dataclass(frozen=True, slots=True)
class _Unit:
    """A source with the place of its target."""

    xml: Xml
    holder: int
    """The `trans-unit` or `segment`."""
    source: int
    """The element whose content is copied: `source`, or `seg-source`."""
    target: int | None
    marked: MarkedText
    key: str

    @property
    def newer(self) -> bool:
        """Whether this is XLIFF 2, where the state stands at the segment."""
        return self.xml.tokens[self.holder].name == "segment"

    @property
    def state(self) -> str:
        place = self.holder if self.newer else self.target
        if place is None:
            return ""
        return self.xml.attributes(self.xml.tokens[place]).get("state", "")

    def segment(self) -> Segment:
        line = self.xml.line(self.xml.tokens[self.holder])
        segment = replace(self.marked.segment(f"line {line}"), key=self.key)
        existing = plain_text(self.xml, self.target)
        copied = existing == segment.text and self.state in UNTRANSLATED
        if not existing or copied or self.state == "needs-translation":
            return segment
        unfinished = self.state in UNTRANSLATED or self.state.startswith("needs-")
        return replace(segment, existing=existing, unfinished=unfinished)

    def slots(self, number: int) -> list[Slot]:
        tokens = self.xml.tokens
        after = self.xml.whole(self.source)[1]
        begin, end = (after, after) if self.target is None else self.xml.whole(self.target)
        slots = [Slot(begin, end, (number,), lambda answers: self._target(answers[number]))]
        if self.newer:
            tag = tokens[self.holder]
            write = lambda answers: self._segment_tag(answers[number])  # noqa: E731
            slots.insert(0, Slot(tag.begin, tag.end, (number,), write))
        return slots

    def _segment_tag(self, answer: SegmentTranslation) -> str:
        tag = self.xml.raw(self.xml.tokens[self.holder])
        state = "translated" if answer.sure else "initial"
        if self.state == state or (answer.sure and not self.state):
            return tag
        return with_attribute(with_attribute(tag, "state", state), "subState", None)

    def _target(self, answer: SegmentTranslation) -> str:
        tokens = self.xml.tokens
        source = tokens[self.source]
        named = f"{self.xml.prefix(source)}target"
        tag, before = f"<{named}>", self.xml.indentation(source)
        if self.target is not None:
            old = tokens[self.target]
            named = f"{self.xml.prefix(old)}target"
            tag, before = self.xml.raw(old), ""
            tag = tag[:-2].rstrip() + ">" if old.kind is XmlKind.EMPTY else tag
        if not self.newer and not answer.sure:
            tag = with_attribute(tag, "state", "needs-review-translation")
        elif not self.newer and self.state:
            tag = with_attribute(tag, "state", "translated")
        return f"{before}{tag}{self._content(answer)}</{named}>"

    def _content(self, answer: SegmentTranslation) -> str:
        text = self.xml.text
        if self.target is not None and not self.marked.inlines:
            begin, end = self.xml.content(self.target)
            pieces = list(inline_pieces(self.xml, self.target))
            if "<" not in text[begin:end] and answer.text == "".join(p.text for p in pieces):
                return text[begin:end]  # just what is there
        begin, end = self.xml.content(self.source)
        return text[begin : self.marked.begin] + self._core(answer) + text[self.marked.end : end]

    def _core(self, answer: SegmentTranslation) -> str:
        text, whole = self.xml.text, self.marked
        if whole.same(answer):
            return text[whole.begin : whole.end]
        return whole.filled(
            answer,
            lambda part, _: escape_xml(part, self.xml.encoding),
            lambda begin, end: text[begin:end],
        )


@dataclass
class _Reading:
    """The segments and slots found in a file so far."""

    xml: Xml
    name: str
    wanted: LanguagePair
    segments: BoundedList[Segment]
    slots: list[Slot] = field(default_factory=list)

    def unit(self, holder: int, key: str) -> None:
        """Note the segment of a unit, if it has one."""
        found = {self.xml.tokens[n].name: n for n in reversed(list(self.xml.children(holder)))}
        source = found.get("seg-source", found.get("source"))
        text = (
            None
            if source is None
            else build_marked_text(list(inline_pieces(self.xml, source)), trim_alone=False)
        )
        if source is None or text is None:
            return
        unit = _Unit(self.xml, holder, source, found.get("target"), text, key)
        self.slots += unit.slots(len(self.segments))
        self.segments.append(unit.segment())

    def languages(self, holder: int, first: int) -> None:
        """Name the target language where it is missing and a segment from the first on answered."""
        tag = self.xml.tokens[holder]
        key = LANGUAGES[tag.name][1]
        numbers = tuple(range(first, len(self.segments)))
        if numbers and self.wanted.told and key not in self.xml.attributes(tag):
            written = with_attribute(self.xml.raw(tag), key, self.wanted.target)
            self.slots.append(Slot(tag.begin, tag.end, numbers, lambda _: written))

    def check_languages(self, holder: int) -> None:
        """Refuse what goes in another direction than is asked for."""
        tag = self.xml.tokens[holder]
        attributes = self.xml.attributes(tag)
        there = [attributes.get(key, "") for key in LANGUAGES[tag.name]]
        pairs = zip(self.wanted, there, strict=True)
        if not self.wanted.told or all(choose(asked, [code]) for asked, code in pairs if code):
            return
        found = " to ".join(" ".join(code[:40].split()) or "?" for code in there)
        raise DataError(
            f"{self.name}:{self.xml.line(tag)}: the file goes from {found}, and the translator "
            f"from {self.wanted.source} to {self.wanted.target}. Take one for these languages."
        )


def read_xliff(data: bytes, name: str, wanted: LanguagePair, most: int = MOST_SEGMENTS) -> TextFile:
    """Read the source of each `trans-unit` (1.2) or `segment` (2.x); answers become its target.

    What is not to be translated (`translate="no"`) is passed over, and so are proposals
    (`alt-trans`, matches). A character that XML cannot hold becomes a space.
    """
    xml = read_xml(data, name)
    root = next(n for n, token in enumerate(xml.tokens) if n in xml.partners)
    if xml.tokens[root].name != "xliff":
        raise DataError(f"{name}:1: not a file with <xliff> in it, though its name says so.")
    reading = _Reading(xml, name, wanted, BoundedList(name, most))
    newer = xml.attributes(xml.tokens[root]).get("version", "1.2").startswith("2")
    _walk(reading, newer)
    return TextFile(
        xml.text,
        tuple(reading.segments),
        tuple(sorted(reading.slots, key=lambda slot: slot.begin)),
        xml.encoding,
    )


def _walk(reading: _Reading, newer: bool) -> None:
    xml = reading.xml
    unit_name, marker = ("segment", "xliff") if newer else ("trans-unit", "file")
    translated = [True]
    key, first, holder, unit_ends = "", 0, -1, 0
    for number, token in enumerate(xml.tokens):
        if token.kind is XmlKind.END:
            translated.pop()
            if token.name == marker and holder >= 0:
                reading.languages(holder, first)
                holder = -1  # its element may be inside another of its name
        if token.kind is not XmlKind.START:
            continue
        attributes = xml.attributes(token)
        translated.append(_translated(attributes, translated[-1]))
        if token.name == marker:
            holder, first = number, len(reading.segments)
            reading.check_languages(number)
        if token.name in ("unit", "trans-unit"):
            key = attributes.get("resname") or attributes.get("id", "")
        if token.name == unit_name and translated[-1] and number > unit_ends:
            reading.unit(number, key)
            unit_ends = xml.partners[number]


def _translated(attributes: Mapping[str, str], around: bool) -> bool:
    return {"no": False, "yes": True}.get(attributes.get("translate", ""), around)
