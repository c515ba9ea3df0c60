"""The symptoms of a corpus, and what training does about each."""

from enum import Enum
from typing import Literal

from dragoman.data.formats.findings import FindingKind

Treatment = Literal["refuse", "drop", "repair", "keep"]


class Symptom(Enum):
    """A name that programs can rely on, what training does about it, and the words for people."""

    UNREADABLE = ("unreadable", "refuse", "the file cannot be read to its end")
    UNEQUAL = ("unequal_lines", "refuse", "the two files have different numbers of lines")
    SHIFTED = ("shifted", "refuse", "one side is probably shifted against the other")
    INVALID_UTF8 = ("invalid_utf8", "refuse", "not UTF-8")
    COLUMNS = ("columns", "refuse", "not exactly a source and a target")
    SWAPPED = ("swapped_sides", "refuse", "source and target are swapped")
    TOO_SMALL = ("too_small", "refuse", "too few different pairs to train on")
    BYTE_ORDER_MARK = ("byte_order_mark", "repair", "a byte order mark")
    CARRIAGE_RETURN = ("carriage_return", "repair", "CRLF line ends")
    NUL = ("nul", "repair", "NUL bytes")
    EMPTY_SIDE = ("empty_side", "drop", "an empty side")
    TOO_LONG = ("too_long", "drop", "a side longer than corpus.max_characters")
    UNFINISHED = ("unfinished", "drop", "messages marked fuzzy or obsolete")
    DUPLICATE = ("duplicate", "drop", "duplicate of an earlier pair")
    OVERLAP = ("overlap", "drop", "also in a validation or test file")
    HELD_OUT_OVERLAP = ("held_out_overlap", "keep", "a test source is also in the validation set")
    CONTROL = ("control_characters", "keep", "control characters")
    MOJIBAKE = ("mojibake", "keep", "text decoded with the wrong encoding (mojibake)")
    WRONG_SCRIPT = ("wrong_script", "keep", "no letter in the script of its side")
    WRONG_LANGUAGE = ("wrong_language", "keep", "not in the language of its side")
    SWAPPED_PAIR = ("swapped_pair", "keep", "source and target seem swapped")
    LENGTH_RATIO = ("length_ratio", "keep", "an unusual length ratio")
    COPY = ("copy", "keep", "the target is a copy of the source")
    TRANSLATIONS = ("several_translations", "keep", "a further translation of an earlier source")
    PLACEHOLDERS = ("placeholders", "keep", "placeholders (%s, {name}) that differ")
    MARKUP = ("markup", "keep", "tags or addresses that differ")

    @property
    def key(self) -> str:
        """The name in JSON and lists."""
        return self.value[0]

    @property
    def treatment(self) -> Treatment:
        """The treatment: what training does about it."""
        return self.value[1]

    @property
    def words(self) -> str:
        """The description, for people."""
        return self.value[2]


MET_IN_READING = {
    FindingKind.BYTE_ORDER_MARK: Symptom.BYTE_ORDER_MARK,
    FindingKind.CARRIAGE_RETURN: Symptom.CARRIAGE_RETURN,
    FindingKind.NUL: Symptom.NUL,
    FindingKind.NOT_UTF8: Symptom.INVALID_UTF8,
    FindingKind.COLUMNS: Symptom.COLUMNS,
    FindingKind.UNEQUAL: Symptom.UNEQUAL,
    FindingKind.UNFINISHED: Symptom.UNFINISHED,
    FindingKind.EMPTY_SIDE: Symptom.EMPTY_SIDE,
    FindingKind.TOO_LONG: Symptom.TOO_LONG,
    FindingKind.REPEATED: Symptom.DUPLICATE,
    FindingKind.LEAKED: Symptom.OVERLAP,
}
"""What the readers count, in the doctor's terms."""
