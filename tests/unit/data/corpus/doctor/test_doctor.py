"""Each finding of the doctor, in a small corpus made for it; and none where nothing is wrong."""

import io
import itertools
import json
import random

import pytest

from dragoman.config.corpus import FilesCorpus
from dragoman.data.corpus.doctor.examine import examine
from dragoman.data.corpus.doctor.language import _changed_places
from dragoman.data.corpus.doctor.symptoms import Symptom

PEOPLE = [
    ("Ana", "Ana"),
    ("the teacher", "el profesor"),
    ("my younger sister", "mi hermana menor"),
    ("our neighbour", "nuestro vecino"),
    ("the old captain of the ship", "el viejo capitán del barco"),
]
DEEDS = [
    ("bought", "compró"),
    ("described in great detail", "describió con todo detalle"),
    ("forgot", "olvidó"),
    ("sold", "vendió"),
]
THINGS = [
    ("a house", "una casa"),
    ("the letters that arrived yesterday", "las cartas que llegaron ayer"),
    ("the oldest book in the library", "el libro más antiguo de la biblioteca"),
    ("some bread", "algo de pan"),
]
TIMES = [
    ("before the war began", "antes de que empezara la guerra"),
    ("at night", "por la noche"),
    ("because nobody else wanted to do it", "porque nadie más quería hacerlo"),
]
SENTENCES = [
    tuple(" ".join(part[side] for part in parts) + "." for side in (0, 1))
    for parts in itertools.product(PEOPLE, DEEDS, THINGS, TIMES)
]
random.Random(1).shuffle(SENTENCES)


@pytest.fixture
def corpus(tmp_path):
    """Give a function that writes pairs, or bytes for each side, and makes settings of them."""

    def write(pairs, name="train"):
        files = tmp_path / f"{name}.en", tmp_path / f"{name}.es"
        for path, side in zip(files, zip(*pairs, strict=True), strict=True):
            path.write_bytes(
                b"".join((s if isinstance(s, bytes) else s.encode()) + b"\n" for s in side)
            )
        return files

    def settings(pairs=SENTENCES, valid=None, test=None, extra=None, **keys):
        others = {"valid": valid, "test": test, "extra": extra}
        files = {name: write(some, name) for name, some in others.items() if some}
        return FilesCorpus(train=write(pairs), **files, **keys)

    return settings


def found_in(settings):
    return {finding.symptom: finding for finding in examine(settings).findings}


def with_line(number, source, target):
    return [*SENTENCES[: number - 1], (source, target), *SENTENCES[number:]]


@pytest.mark.parametrize("languages", [{}, {"source_language": "en", "target_language": "es"}])
def test_a_clean_corpus_gives_no_finding(corpus, languages):
    report = examine(corpus(SENTENCES[40:], SENTENCES[:20], SENTENCES[20:40], **languages))
    assert report.findings == []
    assert not report.refused
    assert report.lines() == []
    assert report.pairs == {"train": 200, "valid": 20, "test": 20}


LONG = "word " * 500
LINES = {
    Symptom.EMPTY_SIDE: ("A house.", "  "),
    Symptom.TOO_LONG: (LONG, LONG),
    Symptom.NUL: ("A ho\0use.", "Una casa."),
    Symptom.CARRIAGE_RETURN: ("A house.\r", "Una casa."),
    Symptom.INVALID_UTF8: (b"A h\xf6use.", b"Una casa."),
    Symptom.CONTROL: ("A \x1bhouse.", "Una casa."),
    Symptom.MOJIBAKE: ("Bread is good.", "El pan estÃ¡ bueno."),
    Symptom.WRONG_SCRIPT: ("Bread is good.", "Хлеб хороший."),
    Symptom.WRONG_LANGUAGE: (
        "He went home because it was late.",
        "Er ging nach Hause, weil es schon sehr spät geworden war.",
    ),
    Symptom.SWAPPED_PAIR: (
        "Mi hermana compró el libro más antiguo de la biblioteca.",
        "My sister bought the oldest book that was in the library.",
    ),
    Symptom.LENGTH_RATIO: ("Yes.", SENTENCES[0][1] * 4),
    Symptom.COPY: ("A house in the city.", "A house in the city."),
    Symptom.DUPLICATE: SENTENCES[0],
    Symptom.TRANSLATIONS: (SENTENCES[0][0], "Otra cosa que " + SENTENCES[0][1]),
    Symptom.PLACEHOLDERS: ("%s files in {name}", "%d archivos en {name}"),
    Symptom.MARKUP: ("See <b>here</b>.", "Mira <i>aquí</i>."),
}


@pytest.mark.parametrize("symptom", LINES)
def test_an_odd_line_is_found_with_its_number_and_what_becomes_of_it(corpus, symptom):
    findings = found_in(corpus(with_line(77, *LINES[symptom])))
    assert set(findings) == {symptom}
    finding = findings[symptom]
    assert (finding.count, finding.lines) == (1, [77])
    assert finding.treatment == symptom.treatment
    assert finding.example


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("100% sure, %1$s of %2$s", "100 % seguro, %2$s de %1$s"),
        ("See http://a.example/b.", "Mira http://a.example/b, ahora."),
        ("42", "42"),
        ("%%", "%%"),
        ("a < b > c", "a < b > c, sí"),
        ("São Paulo, NÃO", "«¡Año nuevo!» cañón à la carte"),
    ],
)
def test_what_only_looks_odd_is_left_alone(corpus, source, target):
    assert found_in(corpus(with_line(9, source, target))) == {}


def test_a_byte_order_mark_is_told(corpus):
    pairs = with_line(1, b"\xef\xbb\xbfA house.", "Una casa.")
    finding = found_in(corpus(pairs))[Symptom.BYTE_ORDER_MARK]
    assert (finding.treatment, finding.lines) == ("repair", [1])
    assert found_in(corpus(pairs, repair=False))[Symptom.BYTE_ORDER_MARK].treatment == "refuse"


def shifted(pairs, by, start=0):
    sources, targets = ([pair[side] for pair in pairs] for side in (0, 1))
    moved = targets[start:]
    return list(zip(sources, targets[:start] + moved[by:] + moved[:by], strict=True))


@pytest.mark.parametrize("by", [1, -1, 2, -3])
def test_one_side_shifted_against_the_other_is_refused(corpus, by):
    report = examine(corpus(shifted(SENTENCES, by)))
    assert report.refused
    (finding,) = report.findings
    assert finding.symptom is Symptom.SHIFTED
    assert f"translated {abs(by)} line" in finding.example
    assert ("above" if by > 0 else "below") in finding.example


def test_a_shift_that_begins_in_the_middle_is_refused_with_its_beginning(corpus):
    pairs = [(f"{n}. {s}", f"{n}. {t}") for n, (s, t) in enumerate(SENTENCES * 5)]
    (finding,) = examine(corpus(shifted(pairs, 1, start=600))).findings
    assert finding.symptom is Symptom.SHIFTED
    assert 500 <= finding.lines[0] <= 700


def test_sides_that_do_not_belong_together_at_all_are_not_called_shifted(corpus):
    targets = [target for _, target in SENTENCES]
    random.Random(2).shuffle(targets)
    pairs = list(zip([source for source, _ in SENTENCES], targets, strict=True))
    assert Symptom.SHIFTED not in found_in(corpus(pairs))


def test_unequal_files_are_refused_and_still_looked_at(corpus, tmp_path):
    settings = corpus(with_line(5, *LINES[Symptom.COPY]))
    with (tmp_path / "train.es").open("a") as stream:
        stream.write("Una línea de más.\n")
    findings = found_in(settings)
    assert set(findings) == {Symptom.UNEQUAL, Symptom.COPY}
    assert "has 240 lines and" in findings[Symptom.UNEQUAL].example
    assert findings[Symptom.UNEQUAL].lines == [241]


def test_swapped_sides_are_refused_where_the_languages_are_told(corpus):
    swapped = [(target, source) for source, target in SENTENCES]
    report = examine(corpus(swapped, source_language="en-GB", target_language="es"))
    assert report.refused
    assert [finding.symptom for finding in report.findings] == [Symptom.SWAPPED]
    assert examine(corpus(swapped)).findings == []


def test_a_side_in_another_language_than_the_recipe_says_is_told(corpus):
    findings = found_in(corpus(source_language="en", target_language="fr"))
    assert findings[Symptom.WRONG_LANGUAGE].count > 150
    assert "(es, not fr)" in findings[Symptom.WRONG_LANGUAGE].example


def test_what_stands_in_two_sets_is_told(corpus):
    findings = found_in(corpus(SENTENCES, valid=SENTENCES[10:40], test=SENTENCES[38:60]))
    assert findings[Symptom.OVERLAP].count == 50
    assert findings[Symptom.OVERLAP].lines == [11, 12, 13, 14, 15]
    assert findings[Symptom.OVERLAP].set == "train"
    assert findings[Symptom.HELD_OUT_OVERLAP].lines == [1, 2]


def test_extra_pairs_are_looked_at_too_and_may_not_stand_in_a_held_out_set(corpus):
    settings = corpus(SENTENCES[80:], valid=SENTENCES[:20], extra=SENTENCES[10:60])
    report = examine(settings)
    assert report.pairs == {"train": 160, "valid": 20, "extra": 50}
    (finding,) = report.findings
    assert (finding.symptom, finding.set, finding.count) == (Symptom.OVERLAP, "extra", 10)
    assert finding.treatment == "drop"
    secret = [("A machine wrote this.", SENTENCES[0][1]), SENTENCES[100]]
    found = found_in(corpus(SENTENCES[80:], valid=SENTENCES[:20], extra=SENTENCES[30:60] + secret))
    assert {one: finding.lines for one, finding in found.items()} == {
        Symptom.OVERLAP: [31],  # by its target
        Symptom.DUPLICATE: [32],  # of a training pair
    }
    shift = examine(corpus(SENTENCES[:80], extra=shifted(SENTENCES[80:], 1)))
    assert [(one.symptom, one.set) for one in shift.findings] == [(Symptom.SHIFTED, "extra")]


def test_a_repeat_in_a_held_out_set_is_kept(corpus):
    (finding,) = examine(corpus(SENTENCES[40:], valid=[*SENTENCES[:20], SENTENCES[3]])).findings
    assert (finding.symptom, finding.set) == (Symptom.DUPLICATE, "valid")
    assert finding.treatment == "keep"


def test_languages_too_alike_to_tell_apart_are_not_called_swapped():
    assert _changed_places(usual=["es", "en"], told=["en", "es"])
    assert not _changed_places(usual=["da", "no"], told=["no", "da"])
    assert not _changed_places(usual=["es", "en"], told=["en", ""])


def test_a_corpus_too_small_to_train_on_is_refused(corpus):
    assert set(found_in(corpus(SENTENCES[:19]))) == {Symptom.TOO_SMALL}
    assert found_in(corpus(SENTENCES[:20])) == {}
    repeated = found_in(corpus(SENTENCES[:19] * 2))
    assert repeated[Symptom.TOO_SMALL].treatment == "refuse"


def test_a_file_that_cannot_be_read_to_its_end_is_refused(tmp_path):
    path = tmp_path / "a.tmx"
    path.write_text("<tmx><body><tu>")
    findings = found_in(FilesCorpus(train=path))
    assert "not valid XML" in findings[Symptom.UNREADABLE].example
    assert set(found_in(FilesCorpus(train=tmp_path / "none.tsv"))) == {Symptom.UNREADABLE}
    empty = tmp_path / "a.po"
    empty.write_text("# no message at all\n")
    assert set(found_in(FilesCorpus(train=empty))) == {Symptom.TOO_SMALL}


def test_lines_that_are_no_pairs_are_all_counted(tmp_path):
    path = tmp_path / "a.tsv"
    rows = ["\t".join(pair) for pair in SENTENCES]
    rows[3], rows[9] = "no tab", "one\ttoo\tmany"
    path.write_text("\n".join(rows))
    finding = found_in(FilesCorpus(train=path))[Symptom.COLUMNS]
    assert (finding.count, finding.lines, finding.treatment) == (2, [4, 10], "refuse")


def test_fuzzy_messages_are_counted(tmp_path):
    path = tmp_path / "a.po"
    rows = [f'msgid "{s}"\nmsgstr "{t}"\n' for s, t in SENTENCES]
    path.write_text("\n".join([*rows, '#, fuzzy\nmsgid "a"\nmsgstr "b"\n']))
    assert found_in(FilesCorpus(train=path))[Symptom.UNFINISHED].count == 1


def test_every_affected_line_is_listed_on_request(corpus):
    pairs = with_line(7, "A house.", "")
    pairs[20:60] = [("A house.", "A house.")] * 40
    listing = io.StringIO()
    settings = corpus(pairs)
    report = examine(settings, listing)
    rows = [line.split("\t") for line in listing.getvalue().splitlines()]
    assert len(rows) == sum(finding.count for finding in report.findings) == 1 + 40 + 39
    assert rows[0] == [str(settings.train[0]), "7", "empty_side", "drop"]
    assert [row[1] for row in rows if row[2] == "copy"] == [str(n) for n in range(21, 61)]


def test_the_report_for_programs_keeps_its_names(corpus):
    report = examine(corpus(with_line(7, "A house.", "")))
    record = json.loads(json.dumps(report.to_json()))
    assert [*record] == [
        "format",
        "version",
        "refused",
        "pairs",
        "sampled_for_language",
        "findings",
    ]
    assert (record["format"], record["version"], record["refused"]) == ("dragoman-check", 1, False)
    (finding,) = record["findings"]
    assert [*finding] == [
        *("finding", "meaning", "treatment", "set", "file", "count", "lines", "example")
    ]
    assert finding["finding"] == "empty_side"
    assert [symptom.key for symptom in Symptom] == [
        *("unreadable", "unequal_lines", "shifted", "invalid_utf8", "columns", "swapped_sides"),
        *("too_small", "byte_order_mark", "carriage_return", "nul", "empty_side", "too_long"),
        *("unfinished", "duplicate", "overlap", "held_out_overlap", "control_characters"),
        *("mojibake", "wrong_script", "wrong_language", "swapped_pair", "length_ratio", "copy"),
        *("several_translations", "placeholders", "markup"),
    ]


def test_the_gravest_finding_comes_first_and_is_said_in_words(corpus):
    pairs = with_line(7, b"\xff", "x")
    pairs[100] = ("A house.", "")
    settings = corpus(pairs)
    report = examine(settings)
    assert [finding.treatment for finding in report.findings][:2] == ["refuse", "drop"]
    assert report.lines()[0].startswith(
        f"refuse: not UTF-8: 1 in train (first at {settings.train[0]}:7)"
    )
