"""What the tests of all markup formats need: answers to everything, and hostile XML."""

import random
import re

from hypothesis import strategies as st

from dragoman.data.documents.document import SegmentTranslation
from dragoman.data.documents.inline import place_inlines
from dragoman.data.formats.languages import LanguagePair

EN_DE = LanguagePair("en", "de")
FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
ANYTHING = st.text(st.one_of(st.characters(), st.sampled_from("<>&\"' \n\r\t\ud800\x01]\u202e")))

LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
HOSTILE = {
    "a DOCTYPE": "<!DOCTYPE {root}>",
    "an entity from a file": '<!DOCTYPE {root} [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
    "an entity from the net": '<!DOCTYPE {root} [<!ENTITY x SYSTEM "http://127.0.0.1:9/x">]>',
    "a DTD from a file": '<!DOCTYPE {root} SYSTEM "file:///etc/passwd">',
    "a parameter entity": '<!DOCTYPE {root} [<!ENTITY % x SYSTEM "file:///etc/passwd"> %x;]>',
    "a billion laughs": f'<!DOCTYPE {{root}} [<!ENTITY l0 "ha">{LAUGHS}<!ENTITY x "&l9;">]>',
    "laughs behind a comment": f"<!-- a -->\n<?b c?>\n<!DOCTYPE {{root}} [{LAUGHS}]>",
}


def identical(document):
    """Answer every segment with itself."""
    return {n: SegmentTranslation(one.text, one.inlines) for n, one in enumerate(document.segments)}


def answered(document, texts, seed=0):
    """Answer every segment with some text, its inlines carried over by random links."""
    chance = random.Random(seed)
    answers = {}
    for number, (segment, text) in enumerate(zip(document.segments, texts, strict=True)):
        links = [(chance.randrange(6), chance.randrange(6)) for _ in range(chance.randrange(5))]
        answers[number] = SegmentTranslation(
            text, place_inlines(segment.inlines, segment.text, text, links)
        )
    return answers


def held(text):
    """Return what XML can hold of a text."""
    return FORBIDDEN.sub(" ", text)
