"""Glossary, memory, casing, spelling and scripts: what is known of words."""

import time

import pytest

from dragoman.core.errors import DataError
from dragoman.data.formats.languages import LanguagePair
from dragoman.pipeline.casing import Casing, CasingStyle, apply_casing
from dragoman.pipeline.glossary import Glossary, fixed_spans
from dragoman.pipeline.memory import TranslationMemory
from dragoman.pipeline.scripts import Scripts
from dragoman.pipeline.spelling import Speller, count_words

GLOSSARY = Glossary({"layer": ("परत",), "layer mask": ("परत मास्क",), "GIMP": (), "C++": ("सी",)})


def words(text):
    return [text[one.place.begin : one.place.end] for one in GLOSSARY.find(text)]


def test_the_longest_term_is_found_in_any_case_and_with_an_ending():
    assert words("Add a Layer Mask to all layers") == ["Layer Mask", "layers"]
    assert words("LAYER, layer's and  layer\nmask") == ["LAYER", "layer's", "layer\nmask"]


def test_a_term_inside_another_word_is_none():
    assert words("player layering multilayer layer2") == []


def test_terms_with_marks_are_found():
    assert words("in C++ only") == ["C++"]


def test_a_term_without_a_translation_stays():
    found = GLOSSARY.find("Start GIMP now")
    assert fixed_spans(found) == [found[0].place]


def test_a_glossary_is_read_from_a_table(tmp_path):
    path = tmp_path / "terms.tsv"
    path.write_text("# remarks\nlayer\tपरत|लेयर\nGIMP\n\nfile name\tनाम\n", encoding="utf-8")
    assert Glossary.read(path).entries == {
        "layer": ("परत", "लेयर"),
        "gimp": (),
        "file name": ("नाम",),
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a\tb\tc\n", ":1: not a term"),
        ("\tb\n", ":1: not a term"),
        ("", "is empty"),
        ("# nothing\n", "no terms"),
        ("a\tb\nA\tc\n", ":2: a second"),
        ("--\tx\n", "no letters"),
    ],
)
def test_a_wrong_glossary_is_refused_with_its_line(tmp_path, text, said):
    path = tmp_path / "terms.tsv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=said):
        Glossary.read(path)


def test_fifty_thousand_terms_are_found_in_no_time():
    many = Glossary({f"term{number} of trade": (f"x{number}",) for number in range(50_000)})
    begin = time.process_time()
    assert len(many.find("a term7 of trade and term49999 of trades " * 100)) == 200
    assert time.process_time() - begin < 1


def test_a_memory_recalls_what_it_knows_and_nothing_else(tmp_path):
    path = tmp_path / "memory.tmx"
    path.write_text(
        '<tmx version="1.4"><header srclang="en"/><body><tu><tuv xml:lang="en"><seg>Open the '
        'file.</seg></tuv><tuv xml:lang="hi"><seg>फ़ाइल खोलें।</seg></tuv></tu></body></tmx>',
        encoding="utf-8",
    )
    memory = TranslationMemory.read(path, LanguagePair("en", "hi"))
    assert memory.recall("Open  the\nfile.") == "फ़ाइल खोलें।"
    assert memory.recall("open the file.") is None


def test_a_memory_without_pairs_is_refused(tmp_path):
    path = tmp_path / "memory.tsv"
    path.write_text("a\t \n", encoding="utf-8")
    with pytest.raises(DataError, match="no pairs"):
        TranslationMemory.read(path, LanguagePair("en", "hi"))


CASING = Casing(
    count_words(["open the file", "Open the file", "the file of Tom", "see Tom", "a USB"])
)


@pytest.mark.parametrize(
    ("typed", "read", "voice"),
    [
        ("OPEN THE FILE OF TOM %s!", "Open the file of Tom %s!", CasingStyle.LOUD),
        ("Open The File Of Tom", "Open the file of Tom", CasingStyle.TITLED),
        ("SEE {Name} AT THE USB", "See {Name} at the USB", CasingStyle.LOUD),
    ],
)
def test_loud_text_and_titles_are_read_as_training_writes_words(typed, read, voice):
    assert CASING.voice(typed) is voice
    assert CASING.quiet(typed) == read


def test_a_translation_is_written_in_the_manner_of_its_source():
    assert apply_casing("öffne die datei %s", CasingStyle.LOUD) == "ÖFFNE DIE DATEI %s"
    assert apply_casing("öffne die datei", CasingStyle.TITLED) == "Öffne Die Datei"
    assert apply_casing("öffne die datei", CasingStyle.PLAIN) == "öffne die datei"


@pytest.mark.parametrize(
    "text",
    ["GPL", "Open THE file", "A B", "फ़ाइल खोलें", "42 %", "USB port", "Open Tom", "Tom Tom Tom"],
)
def test_names_and_quiet_text_stay_as_they_are(text):
    assert CASING.voice(text) is CasingStyle.PLAIN


SPELLER = Speller(count_words(["open the selected window"] * 4 + ["some wibdow"]))


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("Open the slected window", "Open the selected window"),
        ("open the windwo", "open the window"),
        ("open the windoow", "open the window"),
        ("open the winsow", "open the window"),
        ("Opne it", "Open it"),
        ("the wibdow", "the wibdow"),
        ("the Windwo", "the Windwo"),
        ("a {windwo} at www.windwo.org", "a {windwo} at www.windwo.org"),
        ("windwo_name windwo2", "windwo_name windwo2"),
        ("xwindow", "xwindow"),
    ],
)
def test_slips_are_taken_back_and_known_words_and_names_are_not(typed, meant):
    assert SPELLER(typed) == meant


LABELS = Speller(
    count_words(["Select Layer Mask", "the date and the data", "move this date", "data"] * 4)
)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("Selct Layr Mask", "Select Layr Mask"),
        ("Select Layyer", "Select Layer"),
        ("Select Angela Layre", "Select Angela Layer"),
        ("we select Layre here", "we select Layre here"),
        ("move the datd", "move the date"),
        ("move the dste", "move the date"),
        ("move the daat", "move the data"),
        ("mve it", "move it"),
        ("Mve it", "Mve it"),
        ("LAYRE MASK", "LAYER MASK"),
        ("layre", "layer"),
        ("Layre", "Layre"),
    ],
)
def test_the_likeliest_slip_is_taken_back_and_labels_keep_their_capitals(typed, meant):
    assert LABELS(typed) == meant


def test_text_in_the_script_of_the_target_is_known():
    scripts = Scripts(["Open the file"], ["फ़ाइल खोलें GIMP"])
    assert scripts.done("फ़ाइल खोलें")
    assert not scripts.done("Open फ़ाइल now")
    assert not scripts.done("123")


def test_words_that_the_network_cannot_read_are_found():
    scripts = Scripts(["Open the file"], ["Datei öffnen"])
    text = "open 東京 and Лев Толстой, फ़ाइल now"
    assert [text[one.begin : one.end] for one in scripts.strange(text)] == [
        "東京",
        "Лев Толстой",
        "फ़ाइल",
    ]


def test_a_shared_script_tells_nothing():
    assert not Scripts(["Open the file"], ["Datei öffnen"]).done("Datei öffnen")
