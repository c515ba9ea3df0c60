import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.data.formats.accelerators import (
    Accelerator,
    with_accelerator,
    without_accelerator,
    without_strays,
)
from dragoman.data.formats.protected_spans import (
    plain_digits,
    protected_spans,
    replace_spans,
    split_protected,
)

SURVIVORS = [
    ("Copied %s to %d.", ["%s", "%d"]),
    ("%1$s of %2$d, %-5.2f and %ld", ["%1$s", "%2$d", "%-5.2f", "%ld"]),
    ("%(name)s, {name}, {0}, ${x}, {{user}}, %1 of %2", None),
    ("see https://a.b/c?d=1. Or www.a.org/b!", ["https://a.b/c?d=1", "www.a.org/b"]),
    ("mail first.last@host.org now", ["first.last@host.org"]),
    ('<b>bold</b> and <a href="x">link</a>', ["<b>", "</b>", '<a href="x">', "</a>"]),
    ("a &amp; b &#160; c", ["&amp;", "&#160;"]),
    ("5 km, 10MB, 3.5 GHz, 12:30, $5, 1,024", ["5 km", "10MB", "3.5 GHz", "12:30", "$5", "1,024"]),
    ("use --output FILE", ["--output"]),
    (r"first\nsecond", [r"\n"]),
    ("｟3｠ stays", ["｟3｠"]),
    ("well done 🎉👩‍💻 ❤️!", ["🎉👩‍💻", "❤️"]),
    ("%dx%d at %dpx", ["%d", "%d", "%d"]),
    ("%(key)r and %n files", ["%(key)r", "%n"]),
    ("50% done, 100 % of it", ["50%", "100 %"]),
]


@pytest.mark.parametrize(("text", "wanted"), SURVIVORS)
def test_what_stands_for_programs_is_found(text, wanted):
    found = [thing.text for thing in protected_spans(text)]
    assert found == (wanted or ["%(name)s", "{name}", "{0}", "${x}", "{{user}}", "%1", "%2"])


@pytest.mark.parametrize(
    "text", ["plain words", "R&D at 3rd place", "802.1x", "a < b > c", "x_y", "100x"]
)
def test_ordinary_words_are_not_taken_for_something_else(text):
    assert not protected_spans(text)


@given(st.text(st.sampled_from("ab %s{}<>&;_@.:/｟1｠$-\\5 "), max_size=60))
def test_a_text_is_the_sum_of_its_parts(text):
    assert "".join(split_protected(text)) == text
    things = protected_spans(text)
    assert replace_spans(text, things, [thing.text for thing in things]) == text
    assert all(text[one.begin : one.end] == one.text for one in things)


def test_digits_of_every_script_are_digits():
    assert plain_digits("४२, ٤٢ and 42²") == "42, 42 and 42²"


@pytest.mark.parametrize("unit", ["a", "{", "<a ", "%", "http://", "a@", ".a", "1,", "&a", "-a"])
def test_the_time_to_find_them_is_linear(unit, takes_linear_time):
    takes_linear_time(
        protected_spans, lambda length: (unit * length)[:length], sizes=(10_000, 100_000)
    )


LABELS = {
    "_File": ("File", "_", "F"),
    "Save &As…": ("Save As…", "&", "A"),
    "E_xit": ("Exit", "_", "x"),
    "फ़ाइल (_F)": ("फ़ाइल", "_", "F"),
}


@pytest.mark.parametrize("label", LABELS)
def test_the_mark_of_an_accelerator_is_taken_out_of_a_label(label):
    bare, mark, letter = LABELS[label]
    assert without_accelerator(label) == (bare, Accelerator(mark, letter))


@pytest.mark.parametrize(
    "text",
    [
        "file_name",
        "__init__",
        "R&D",
        "AT&T",
        "Cut & Paste",
        "a &amp; b",
        "Drag&Drop",
        "x" * 90 + "_F",
    ],
)
def test_names_and_sentences_keep_their_marks(text):
    assert without_accelerator(text) == (text, None)


@pytest.mark.parametrize(
    ("translated", "wanted"),
    [
        ("Speichern", "_Speichern"),
        ("Datei sichern", "Datei _sichern"),
        ("Öffnen", "_Öffnen"),
        ("सहेजें…", "सहेजें (_S)…"),
        ("<s>सहेजें</s>", "<s>सहेजें</s> (_S)"),
        ("<s>Sichern</s>", "<s>_Sichern</s>"),
    ],
)
def test_an_accelerator_goes_before_its_letter_or_follows_in_brackets(translated, wanted):
    assert with_accelerator(translated, Accelerator("_", "S")) == wanted


def test_an_accelerator_that_the_network_made_up_goes():
    assert without_strays("फ़ाइल खोलें (_O)…", "Open file…") == "फ़ाइल खोलें…"
    assert without_strays("खोलें (_O)", "open (_O) it") == "खोलें (_O)"


@given(st.text(st.characters(blacklist_characters="_&", blacklist_categories=("Cs",)), min_size=1))
def test_a_label_holds_its_mark_once_after_translation(text):
    marked = with_accelerator(text, Accelerator("&", "F"))
    assert marked.count("&") == bool(text.strip())
