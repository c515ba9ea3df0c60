"""Take files apart and write them back: nothing may change but what is answered.

    python benchmarks/round_trips.py PATH...
    python benchmarks/round_trips.py --languages de-en PATH...

A path is a file, a folder, or a Debian package, of which the Hindi catalogues are taken. Each file
of a known format is written without answers and with each text as its own answer, which must give
the same bytes, and with a mark after each translation, which must be read back, white
space aside.
"""

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from dragoman.core.errors import DataError
from dragoman.data.corpus.catalogue.archives import read_members
from dragoman.data.documents.document import Document, Segment, SegmentTranslation
from dragoman.data.documents.open import BILINGUAL, BY_ENDING, read_document
from dragoman.data.formats.languages import LanguagePair

USUAL = "en-hi"
MARK = " ✓"


def files(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the names and bytes of what is to be tried."""
    if path.suffix == ".deb":
        yield from read_members(path, _is_hindi_catalogue)
    elif path.is_dir():
        for each in sorted(path.rglob("*")):
            if each.is_file() and each.suffix.lower() in BY_ENDING:
                yield str(each), each.read_bytes()
    else:
        yield str(path), path.read_bytes()


def _is_hindi_catalogue(name: str) -> bool:
    return "/hi/" in name and name.endswith((".po", ".mo", ".gmo"))


def itself(segment: Segment, bilingual: bool) -> SegmentTranslation:
    """Return what stands there already."""
    text = segment.existing if bilingual else segment.text
    return SegmentTranslation(text, segment.inlines, sure=not segment.unfinished)


def marked(document: Document, bilingual: bool) -> dict[int, SegmentTranslation]:
    """Put a mark after every text."""
    texts = [segment.existing or segment.text for segment in document.segments]
    own = texts if bilingual else [segment.text for segment in document.segments]
    return {
        number: SegmentTranslation(f"{text.rstrip()}{MARK}", document.segments[number].inlines)
        for number, text in enumerate(own)
    }


def tried(format: str, name: str, data: bytes, languages: LanguagePair) -> Counter[str]:
    """Try one file."""
    bilingual = format in BILINGUAL
    document = read_document(format, data, name, languages)
    found = Counter({"files": 1, "texts": len(document.segments)})
    same = {
        number: itself(one, bilingual)
        for number, one in enumerate(document.segments)
        if one.existing or not bilingual  # a text without a translation has none to be given
    }
    found["same without answers"] = int(document.written({}) == data)
    found["same with their own"] = int(document.written(same) == data)
    answers = marked(document, bilingual)
    again = read_document(format, document.written(answers), name, languages)
    told = [one.existing if bilingual else one.text for one in again.segments]
    wanted = [answers[number].text for number in range(len(document.segments))]
    both = zip(told, wanted, strict=False)
    found["read back"] = sum(one.split() == other.split() for one, other in both)
    return found


def main(words: list[str]) -> None:
    """Print a row for each format."""
    named = words[:1] == ["--languages"]
    paths = words[2:] if named else words
    languages = LanguagePair(*(words[1] if named else USUAL).split("-"))
    counts: dict[str, Counter[str]] = {}
    for path in paths:
        for name, data in files(Path(path)):
            format = BY_ENDING.get(Path(name).suffix.lower(), "plain")
            own = counts.setdefault(format, Counter())
            try:
                own += tried(format, name, data, languages)
            except DataError as error:
                own["refused"] += 1
                print(error)
    for format, found in counts.items():
        print(f"{format}: {', '.join(f'{count:,} {what}' for what, count in found.items())}")


if __name__ == "__main__":
    main(sys.argv[1:])
