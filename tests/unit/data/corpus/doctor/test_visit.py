"""The doctor's visit before a training: what is refused, what is told, what is let pass."""

import random

import pytest

from dragoman.config.corpus import FilesCorpus, GrammarCorpus, SeveralCorpus
from dragoman.core.errors import DataError
from dragoman.data.corpus.doctor.alignment import AlignmentCheck
from dragoman.data.corpus.doctor.report import together
from dragoman.data.corpus.doctor.visit import kept_findings, visit

WORDS = ["sun", "moonlight", "sea", "thunderstorm", "red", "a", "butterfly", "of", "tree", "x"]


def sentences(count, words=WORDS, seed=1):
    draw = random.Random(seed)
    return [" ".join(draw.choices(words, k=draw.randint(1, 9))) for _ in range(count)]


def backwards(sources):
    return [" ".join(reversed(source.split())) for source in sources]


@pytest.fixture
def written(tmp_path):
    """Give a function that writes two sides, and makes settings of them."""

    def write(sources, targets, name="a", **keys):
        files = tmp_path / f"{name}.source", tmp_path / f"{name}.target"
        for file, side in zip(files, (sources, targets), strict=True):
            file.write_text("".join(f"{line}\n" for line in side), encoding="utf-8")
        return FilesCorpus(train=files, **keys)

    return write


def test_a_shifted_corpus_is_refused_with_file_line_and_remedy(written, tmp_path):
    sources = sentences(200)
    targets = backwards(sources)
    shifted = written(sources, targets[1:] + targets[:1])
    with pytest.raises(DataError) as refused:
        visit(shifted)
    said = str(refused.value)
    assert len(said.splitlines()) == 1
    assert said.startswith(f"{tmp_path / 'a.source'}:1: one side is probably shifted")
    assert "200 of 200 lines" in said
    assert "dragoman check" in said
    assert "corpus.examine=false" in said
    assert visit(shifted.model_copy(update={"examine": False})) == []


def test_each_of_several_corpora_is_examined_and_told_its_own_way_out(written):
    sources = sentences(200)
    targets = backwards(sources)
    good = written(sources, targets, "good")
    bad = written(sources, targets[-1:] + targets[:-1], "bad")
    with pytest.raises(DataError, match=r"bad\.source:1: .* examine = false in this part"):
        visit(SeveralCorpus(parts=(good, bad)))
    passed = bad.model_copy(update={"examine": False})
    assert visit(SeveralCorpus(parts=(good, passed))) == visit(good)


def test_what_is_odd_is_told_in_one_line_each_and_what_is_dropped_is_left_to_others(
    written, tmp_path
):
    sources = [f"{n} {text}" for n, text in enumerate(sentences(50))]
    targets = backwards(sources)
    sources[9] = "see <b>this</b>"
    targets[19] = ""
    (report,) = visit(written(sources, targets))
    assert (
        f"1 pair kept in train: tags or addresses that differ (first at {tmp_path}/a.source:10)"
        in kept_findings(report)
    )
    assert not any("empty" in line for line in kept_findings(report))


def test_reports_of_several_parts_become_one(written):
    good = written(sentences(60), backwards(sentences(60)), "good")
    (alone,) = visit(good)
    both = together(visit(SeveralCorpus(parts=(good, good))))
    assert both.pairs == {name: 2 * count for name, count in alone.pairs.items()}
    assert both.findings == alone.findings * 2
    assert both.sampled == 2 * alone.sampled


def test_a_made_corpus_has_no_files_to_examine():
    assert visit(GrammarCorpus()) == []


def test_what_a_reader_refuses_is_left_to_the_reader(written, tmp_path):
    sources = sentences(60)
    unequal = written(sources, [*backwards(sources), "one more"])
    assert isinstance(visit(unequal), list)
    assert isinstance(visit(FilesCorpus(train=tmp_path / "none.tsv")), list)


TOYS = {
    "reversed words": lambda n: (sentences(n), backwards(sentences(n))),
    "sorted and reversed": lambda n: (sorted(sentences(n)), backwards(sorted(sentences(n)))),
    "letters": lambda n: (sentences(n), [" ".join(text.replace(" ", "")) for text in sentences(n)]),
    "copies": lambda n: (sentences(n), sentences(n)),
    "capitals": lambda n: (sentences(n), [text.upper() for text in sentences(n)]),
    "sorted words": lambda n: (sentences(n), [" ".join(sorted(t.split())) for t in sentences(n)]),
    "one word": lambda n: ([f"w{k}" for k in range(n)], [f"v{k}" for k in range(n)]),
    "counting": lambda n: ([str(k) for k in range(n)], [f"number {k}" for k in range(n)]),
    "squares": lambda n: ([str(k) for k in range(n)], [str(k * k) for k in range(n)]),
    "sums": lambda n: ([f"{k} + {k + 3}" for k in range(n)], [str(2 * k + 3) for k in range(n)]),
    "yes or no": lambda n: (sentences(n), ["yes" if "sun" in t else "no" for t in sentences(n)]),
    "noise": lambda n: (sentences(n), sentences(n, seed=2)),
    "one target": lambda n: (sentences(n), ["the same"] * n),
    "growing": lambda n: (["a " * k for k in range(1, n + 1)], ["b " * k for k in range(1, n + 1)]),
}


@pytest.mark.parametrize("toy", TOYS)
def test_no_toy_is_refused(written, toy):
    sources, targets = TOYS[toy](60)
    settings = written(sources, targets, source_language="en", target_language="de")
    assert isinstance(visit(settings), list)  # a refusal is a DataError


@pytest.mark.parametrize("count", [40, 60, 100, 300, 2000])
@pytest.mark.parametrize("toy", TOYS)
def test_no_toy_of_any_size_looks_shifted(toy, count):
    assert shift_of(*TOYS[toy](count)) is None


def test_chance_alone_is_never_called_a_shift():
    for seed in range(300):
        assert shift_of(sentences(60, seed=seed), sentences(60, seed=seed + 1000)) is None


def shift_of(sources, targets):
    alignment = AlignmentCheck()
    for line, pair in enumerate(zip(sources, targets, strict=True), 1):
        alignment.add(line, *pair)
    return alignment.find_shift()
