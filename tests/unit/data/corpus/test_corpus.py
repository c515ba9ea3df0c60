import json
import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dragoman.config.corpus import FilesCorpus, GrammarCorpus
from dragoman.core.errors import DataError
from dragoman.data.corpus.corpus import open_corpus
from dragoman.data.corpus.held_out import load_held_out, save_held_out
from dragoman.data.formats.pair import Pair


def numbered(count, start=0):
    return [Pair(f"sentence {n}", f"Satz {n}") for n in range(start, start + count)]


@pytest.fixture
def write(tmp_path):
    def write(pairs, name="train"):
        files = tmp_path / f"{name}.en", tmp_path / f"{name}.de"
        for path, side in zip(files, zip(*pairs, strict=True), strict=True):
            path.write_bytes("".join(f"{line}\n" for line in side).encode())
        return files

    return write


def test_every_pair_is_in_exactly_one_set_and_each_pass_is_the_same(write):
    pairs = numbered(500)
    corpus = open_corpus(FilesCorpus(train=write(pairs), held_out=30), seed=1)
    train = list(corpus.train())
    assert train == list(corpus.train())
    assert len(train) == corpus.train_pairs == 440
    assert len(corpus.valid) == len(corpus.tests["test"]) == 30
    assert sorted(train + corpus.valid + corpus.tests["test"]) == sorted(pairs)


def test_the_split_depends_on_the_seed_and_not_on_the_order_of_the_lines(write):
    pairs = numbered(300)
    first = open_corpus(FilesCorpus(train=write(pairs), held_out=20), seed=5)
    other = open_corpus(FilesCorpus(train=write(pairs), held_out=20), seed=6)
    random.Random(0).shuffle(pairs)
    again = open_corpus(FilesCorpus(train=write(pairs), held_out=20), seed=5)
    assert set(first.valid) == set(again.valid)
    assert set(first.tests["test"]) == set(again.tests["test"])
    assert set(first.valid) != set(other.valid)


def test_all_translations_of_a_source_go_to_the_same_set(write):
    pairs = [Pair(f"sentence {n // 3}", f"Satz {n}") for n in range(600)]
    corpus = open_corpus(FilesCorpus(train=write(pairs), held_out=31), seed=2)
    sets = [list(corpus.train()), corpus.valid, corpus.tests["test"]]
    sources = [{pair.source for pair in each} for each in sets]
    assert not sources[0] & sources[1]
    assert not sources[0] & sources[2]
    assert not sources[1] & sources[2]
    assert len(corpus.valid) <= 31


def test_repeats_are_dropped_and_counted_whatever_space_surrounds_them(write):
    pairs = [*numbered(100), Pair(" sentence 7 ", "Satz 7"), Pair("sentence 8", "anders")]
    corpus = open_corpus(FilesCorpus(train=write(pairs), held_out=5), seed=0)
    assert corpus.train_pairs + len(corpus.valid) + len(corpus.tests["test"]) == 101
    assert "1 pair dropped: the same pair stands earlier" in corpus.findings
    everything = [*corpus.train(), *corpus.valid, *corpus.tests["test"]]
    assert Pair("sentence 8", "anders") in everything
    assert Pair(" sentence 7 ", "Satz 7") not in everything


def test_training_never_sees_a_source_of_a_given_set(write):
    files = write(numbered(100), "train")
    valid = write([Pair("sentence 3", "ganz anders"), Pair("new", "neu")], "valid")
    corpus = open_corpus(FilesCorpus(train=files, valid=valid, held_out=4), seed=0)
    sources = {pair.source for pair in [*corpus.train(), *corpus.tests["test"]]}
    assert "sentence 3" not in sources
    assert sorted(corpus.valid) == [Pair("new", "neu"), Pair("sentence 3", "ganz anders")]
    assert len(corpus.tests["test"]) == 4
    assert any(line.startswith("1 pair dropped from training") for line in corpus.findings)


def test_no_more_than_a_tenth_is_held_out_and_that_is_said(write):
    corpus = open_corpus(FilesCorpus(train=write(numbered(50)), held_out=1000), seed=0)
    assert len(corpus.valid) == len(corpus.tests["test"]) == 5
    said = "5 pairs held out for the validation set, not 1,000: a tenth of the corpus is the most"
    assert said in corpus.findings


def test_too_small_a_corpus_is_refused(write):
    with pytest.raises(DataError, match="only 19 different pairs to train on"):
        open_corpus(FilesCorpus(train=write(numbered(19))), seed=0)
    with pytest.raises(DataError, match="only 1 different pairs .* 39 pairs dropped"):
        open_corpus(FilesCorpus(train=write([Pair("a", "b")] * 40)), seed=0)
    with pytest.raises(DataError, match="too many pairs share one source"):
        open_corpus(FilesCorpus(train=write([Pair("a", str(n)) for n in range(40)])), seed=0)


def test_a_file_that_changes_after_opening_is_noticed(write):
    files = write(numbered(60))
    corpus = open_corpus(FilesCorpus(train=files, held_out=2), seed=0)
    for change in (numbered(61), numbered(59)):
        write(change)
        with pytest.raises(DataError, match="has changed since it was opened"):
            list(corpus.train())


def test_the_input_files_are_never_touched(write):
    files = write([Pair("\ufeffone\0", "eins\r"), *numbered(40)])
    before = [(path.read_bytes(), path.stat().st_mtime_ns) for path in files]
    list(open_corpus(FilesCorpus(train=files, held_out=2), seed=0).train())
    assert [(path.read_bytes(), path.stat().st_mtime_ns) for path in files] == before


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    odd=st.lists(st.text(st.characters(exclude_characters="\n", codec="utf-8")), max_size=20),
)
def test_held_out_sets_come_back_character_for_character(tmp_path, odd):
    pairs = numbered(3) + [Pair(f"a{text}", f"{text}b") for text in odd]
    corpus = _corpus(valid=pairs, tests={"unseen": pairs[::-1], "combinations": []})
    save_held_out(corpus, tmp_path)
    stored = load_held_out(tmp_path)
    assert stored.valid == pairs
    assert stored.tests == {"unseen": pairs[::-1], "combinations": []}
    assert stored.findings == ["found"]


def _corpus(valid, tests):
    from dragoman.data.corpus.corpus import Corpus

    return Corpus(lambda: iter(()), 0, valid, tests, ["found"], seed=3)


def test_a_stored_split_names_its_seed_its_counts_and_the_checksums_of_its_files(write, tmp_path):
    files = write(numbered(100))
    corpus = open_corpus(FilesCorpus(train=files, held_out=5), seed=9)
    save_held_out(corpus, tmp_path / "split")
    record = json.loads((tmp_path / "split" / "split.json").read_text())
    assert record["seed"] == 9
    assert record["test_pairs"] == {"test": 5}
    assert set(record["files"]) == {str(path) for path in files}
    assert load_held_out(tmp_path / "split").train_pairs == 90


@pytest.mark.parametrize(
    "change",
    [
        {"version": 2},
        {"format": "other"},
        {"test_pairs": {"../../etc/passwd": 1}},
        {"test_pairs": [1]},
        {"valid_pairs": 4},
        {"seed": None},
    ],
)
def test_a_damaged_split_is_refused(tmp_path, change):
    save_held_out(_corpus(valid=numbered(3), tests={"test": numbered(3)}), tmp_path)
    path = tmp_path / "split.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(DataError, match="Prepare the corpus again"):
        load_held_out(tmp_path)
    with pytest.raises(DataError):
        load_held_out(tmp_path / "nowhere")


def test_the_grammar_gives_its_own_test_sets():
    corpus = open_corpus(GrammarCorpus(pairs=200, held_out=20, difficulty=2), seed=1)
    assert set(corpus.tests) == {"unseen", "combinations"}
    assert corpus.train_pairs == len(list(corpus.train())) == 200
    assert list(corpus.train()) == list(corpus.train())


def test_the_languages_of_a_recipe_choose_among_those_of_a_tmx(tmp_path):
    unit = '<tu><tuv xml:lang="{}"><seg>{}</seg></tuv><tuv xml:lang="hi"><seg>{}</seg></tuv></tu>'
    units = [unit.format("en-GB", f"word {n}", f"शब्द {n}") for n in range(40)]
    other = (
        '<tu><tuv xml:lang="fr"><seg>mot</seg></tuv><tuv xml:lang="de"><seg>Wort</seg></tuv></tu>'
    )
    body = "".join([*units, other])
    text = f'<tmx version="1.4"><header srclang="en"/><body>{body}</body></tmx>'
    (tmp_path / "a.tmx").write_text(text, encoding="utf-8")
    corpus = open_corpus(
        FilesCorpus(
            train=tmp_path / "a.tmx", held_out=2, source_language="en", target_language="hi"
        ),
        seed=1,
    )
    assert corpus.train_pairs + len(corpus.valid) + len(corpus.tests["test"]) == 40
    assert all(pair.target.startswith("शब्द") for pair in corpus.train())
