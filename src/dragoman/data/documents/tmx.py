"""Translation memories (TMX): what a unit lacks in the target language is filled in."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

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
from dragoman.data.documents.xml_text import Xml, escape_xml, read_xml, with_attribute
from dragoman.data.formats.languages import LanguagePair, choose, name_the_languages, plain


@dataclass(frozen=True, slots=True)
class _Unit:
    """A text in the source language, with the place of its translation."""

    xml: Xml
    source: int
    """The `tuv` of the source language."""
    source_text: int
    """Its `seg`."""
    target: int | None
    """The `seg` of the target language."""
    language: str
    marked: MarkedText

    def segment(self, key: str) -> Segment:
        where = f"line {self.xml.line(self.xml.tokens[self.source])}"
        existing = plain_text(self.xml, self.target)
        return replace(self.marked.segment(where), key=key, existing=existing)

    def slot(self, number: int) -> Slot:
        after = self.xml.whole(self.source)[1]
        begin, end = (after, after) if self.target is None else self.xml.whole(self.target)
        return Slot(begin, end, (number,), lambda answers: self._written(answers[number]))

    def _written(self, answer: SegmentTranslation) -> str:
        if not answer.sure:
            begin, end = (0, 0) if self.target is None else self.xml.whole(self.target)
            return self.xml.text[begin:end]
        if self.target is not None:
            return self._filled(self.target, answer)
        xml, token = self.xml, self.xml.tokens[self.source]
        tag = xml.raw(token)
        attributes = xml.attributes(token)
        kept = "xml:lang" if "xml:lang" in attributes else "lang"
        for name in attributes:  # dates, counts and people are those of the source
            tag = with_attribute(tag, name, self.language if name == kept else None)
        begin, end = xml.content(self.source)
        inner, outer = xml.whole(self.source_text)
        before, after = _blank(xml.text[begin:inner]), _blank(xml.text[outer:end])
        closing = xml.raw(xml.tokens[xml.partners[self.source]])
        written = self._filled(self.source_text, answer)
        return f"{xml.indentation(token)}{tag}{before}{written}{after}{closing}"

    def _filled(self, place: int, answer: SegmentTranslation) -> str:
        """Return the `seg` at a place with the answer in it."""
        xml, text, whole = self.xml, self.xml.text, self.marked
        tag = xml.raw(xml.tokens[place])
        if tag.endswith("/>"):
            tag = tag[:-2].rstrip() + ">"
        begin, end = xml.content(self.source_text)
        core = text[whole.begin : whole.end]
        if not whole.same(answer):
            core = whole.filled(
                answer,
                lambda part, _: escape_xml(part, xml.encoding),
                lambda begin, end: text[begin:end],
            )
        closing = xml.raw(xml.tokens[xml.partners[self.source_text]])
        return f"{tag}{text[begin : whole.begin]}{core}{text[whole.end : end]}{closing}"


def _blank(text: str) -> str:
    """Keep the layout between two tags, and no notes or properties."""
    return "" if text.strip() else text


def read_tmx(data: bytes, name: str, wanted: LanguagePair, most: int = MOST_SEGMENTS) -> TextFile:
    """Read each unit that has the source language; answers become its variant in the target.

    A missing variant is put after that of the source. An answer that is not sure is left out, and
    a character that XML cannot hold becomes a space.
    """
    xml = read_xml(data, name)
    root = next(n for n, _ in enumerate(xml.tokens) if n in xml.partners)
    if xml.tokens[root].name != "tmx":
        raise DataError(f"{name}:1: not a file with <tmx> in it, though its name says so.")
    units = {n: _variants(xml, n) for n in _outermost(xml, "tu")}
    found = {code for variants in units.values() for code in variants}
    asked = wanted if wanted.told else _languages(xml, found, name)
    if units and all(choose(asked.source, variants) is None for variants in units.values()):
        raise name_the_languages(name, found)
    segments = BoundedList[Segment](name, most)
    slots: list[Slot] = []
    for number, variants in units.items():
        if unit := _unit(xml, variants, asked):
            key = xml.attributes(xml.tokens[number]).get("tuid", "")
            slots.append(unit.slot(len(segments)))
            segments.append(unit.segment(key))
    slots.sort(key=lambda slot: slot.begin)
    return TextFile(xml.text, tuple(segments), tuple(slots), xml.encoding)


def _outermost(xml: Xml, name: str) -> Iterator[int]:
    done = -1
    for number, token in enumerate(xml.tokens):
        if number > done and token.name == name and number in xml.partners:
            yield number
            done = xml.partners[number]


def _variants(xml: Xml, unit: int) -> dict[str, int]:
    variants: dict[str, int] = {}
    for number in xml.children(unit):
        if xml.tokens[number].name == "tuv":
            attributes = xml.attributes(xml.tokens[number])
            language = attributes.get("xml:lang") or attributes.get("lang", "")
            variants.setdefault(language, number)
    return variants


def _unit(xml: Xml, variants: dict[str, int], asked: LanguagePair) -> _Unit | None:
    source = choose(asked.source, variants)
    segment = None if source is None else xml.child(variants[source], "seg")
    if source is None or segment is None:
        return None
    text = build_marked_text(list(inline_pieces(xml, segment)), trim_alone=False)
    others = {code: number for code, number in variants.items() if code != source}
    target = choose(asked.target, others)
    place = None if target is None else xml.child(others[target], "seg")
    if text is None or (target is not None and place is None):
        return None
    return _Unit(xml, variants[source], segment, place, asked.target, text)


def _languages(xml: Xml, found: set[str], name: str) -> LanguagePair:
    """Return the two languages of a file: that of the header first."""
    header = next((token for token in xml.tokens if token.name == "header"), None)
    first = "" if header is None else xml.attributes(header).get("srclang", "")
    source = choose(first, found)
    others = {plain(code): code for code in sorted(found) if code != source}
    if source is None or len(others) != 1:
        raise name_the_languages(name, found)
    return LanguagePair(source, *others.values())
