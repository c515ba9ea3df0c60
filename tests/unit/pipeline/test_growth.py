"""What stands between a file and the network takes time in step with the text."""

import numpy as np
import pytest

from dragoman.config.training import DecodingSettings
from dragoman.data.documents.document import Segment, TextSpan
from dragoman.pipeline.casing import Casing, CasingStyle, apply_casing
from dragoman.pipeline.glossary import Glossary
from dragoman.pipeline.preservation import survives
from dragoman.pipeline.protection import add_placeholders, by_parts
from dragoman.pipeline.repetition import replace_looping_sentences
from dragoman.pipeline.scripts import Scripts
from dragoman.pipeline.segments import translate_segments
from dragoman.pipeline.sentence_splitting import portions
from dragoman.pipeline.sentences import SentencePipeline
from dragoman.pipeline.spelling import Speller, count_words
from dragoman.pipeline.text_spans import merge_spans, without_overlaps
from dragoman.tasks.translation.requests import run_coroutine
from dragoman.tasks.translation.translation import Translation

pytestmark = pytest.mark.slow


SMALLER = (1_000, 10_000, 100_000)
"""Characters where each part is looked at for loops, which costs a tenth of a millisecond."""


def counting(unit):
    """Give a maker of texts whose parts are all different."""

    def make(size):
        length = len(unit.format(0))
        return " ".join(unit.format(number) for number in range(max(1, size // (length + 4))))

    return make


def repeating(unit):
    return lambda size: unit * (size // len(unit))


TEXTS = {
    "placeholders, all different": counting("{{name{}}}"),
    "printf, all different": counting("%(n{})s"),
    "numbers, all different": counting("{}"),
    "tags, all different": counting("<a{}>"),
    "options, all different": counting("--o{}"),
    "addresses, all different": counting("a{}@b.org"),
    "one placeholder": repeating("%s "),
    "percent signs": repeating("%"),
    "opening braces": repeating("{"),
    "opening tags": repeating("<a "),
    "letters": repeating("a"),
    "sentences": repeating("Go on. "),
    "full stops": repeating(". "),
    "blanks": repeating(" "),
    "line ends": repeating("a\n"),
    "commas": repeating("a, "),
    "two scripts": repeating("aक"),
    "accelerators in brackets": repeating("(_a)"),
    "capitals": repeating("GO ON "),
}


def test_the_measure_has_teeth(takes_linear_time):
    def quadratic(data):
        numbers = np.frombuffer(data.encode(), np.uint8)
        for number in range(0, len(numbers), 10):
            numbers[:number].sum()

    with pytest.raises(AssertionError, match="s after"):
        takes_linear_time(quadratic, repeating("a"), sizes=(20_000, 200_000))
    takes_linear_time(lambda data: [ord(each) for each in data], repeating("a"))


@pytest.mark.parametrize("make", TEXTS.values(), ids=TEXTS)
def test_what_must_survive_is_looked_for_in_linear_time(make, takes_linear_time):
    def work(text):
        for symbols in (True, False):
            one = add_placeholders(text, symbols=symbols, numbers=True)
            one.restored(one.shown)
        survives(text, text[::-1])

    takes_linear_time(work, make)


def worded(parts):
    yield from ()
    return [f"{part} wort" for part in parts]


@pytest.mark.parametrize("make", TEXTS.values(), ids=TEXTS)
def test_texts_are_translated_in_parts_in_linear_time(make, takes_linear_time):
    def work(text):
        one = add_placeholders(text, symbols=True, numbers=True)
        run_coroutine(None, by_parts(one, worded))

    takes_linear_time(work, make, sizes=SMALLER)


@pytest.mark.parametrize("make", TEXTS.values(), ids=TEXTS)
def test_texts_are_cut_in_linear_time(make, takes_linear_time):
    def work(text):
        parts = portions(text, longest=20)
        replace_looping_sentences(parts, ["wort"] * (len(parts) // 2))

    takes_linear_time(work, make)


SPELLER = Speller(count_words(["open the selected window"] * 4))
CASING = Casing(count_words(["open the selected window"] * 4))
SCRIPTS = Scripts(["Open the file"], ["फ़ाइल खोलें"])
GLOSSARY = Glossary({"a": ("b",), "a a": ("c",), "go on": (), "name1": ("d",)})


@pytest.mark.parametrize("make", TEXTS.values(), ids=TEXTS)
def test_words_are_read_in_linear_time(make, takes_linear_time):
    def work(text):
        SPELLER(text)
        CASING.voice(text)
        CASING.quiet(text)
        apply_casing(text, CasingStyle.LOUD)
        apply_casing(text, CasingStyle.TITLED)
        SCRIPTS.strange(text)
        SCRIPTS.done(text)
        GLOSSARY.find(text)

    takes_linear_time(work, make)


def test_code_is_kept_in_linear_time(takes_linear_time):
    def work(size):
        text = "ab " * size
        code = [TextSpan(3 * number, 3 * number + 2) for number in range(size)]
        for symbols in (True, False):
            one = add_placeholders(text, code, symbols=symbols)
            one.restored(text)
        merge_spans(code + code)
        without_overlaps(code, code[::2])

    takes_linear_time(work, lambda size: size // 3)


class Echo:
    """Says what it is shown."""

    decoding = DecodingSettings(stutter_guard="off")
    engine = None

    def check_terms(self):
        """Take terms, and write none of them."""

    def candidates(self, texts, **options):
        return [[Translation(text, 0.0, -1.0, (5,))] for text in texts]


@pytest.mark.parametrize(
    ("unit", "step"), [("Do `it` now. ", 13), ("and `it` there, ", 16), ("%s is `it`. ", 12)]
)
def test_a_segment_with_code_and_terms_is_translated_in_linear_time(unit, step, takes_linear_time):
    care = SentencePipeline(Echo(), glossary=GLOSSARY, scripts=SCRIPTS, mend=SPELLER, longest=20)
    place = unit.index("`")

    def work(size):
        code = tuple(TextSpan(step * n + place, step * n + place + 4) for n in range(size))
        (found,) = translate_segments(care, [Segment(unit * size, verbatim=code)])
        assert found.answer.text.count("`it`") == size

    takes_linear_time(work, lambda size: size // step, sizes=SMALLER)
