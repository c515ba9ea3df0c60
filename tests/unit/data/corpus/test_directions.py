"""Several directions in one corpus, extra pairs, and whose seed decides."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dragoman.config.corpus import FilesCorpus, GrammarCorpus, SeveralCorpus
from dragoman.config.tokenizer import BpeTokenizerSettings
from dragoman.core.errors import DataError
from dragoman.data.corpus.corpus import open_corpus
from dragoman.data.corpus.held_out import NAME, load_held_out, save_held_out
from dragoman.data.formats.pair import Pair
from dragoman.data.formats.placeholders import split_tags
from dragoman.data.tokenizer.train import train_tokenizer_pair

EN, ES = "｟31｠", "｟30｠"
LEAKED = "dropped from training: the source also stands in a held-out set"
REPEATED = "dropped: the same pair stands earlier"


def numbered(count, start=0):
    return [Pair(f"sentence {n}", f"frase {n}") for n in range(start, start + count)]


@pytest.fixture
def write(tmp_path):
    def write(pairs, name="train"):
        path = tmp_path / f"{name}.tsv"
        path.write_bytes("".join(f"{s}\t{t}\n" for s, t in pairs).encode())
        return path

    return write


def both(train, **others):
    return FilesCorpus(
        train=train, source_language="en", target_language="es", both_ways=True, **others
    )


def sources(pairs):
    return {pair.source for pair in pairs}


def held_out(corpus):
    return [*corpus.valid, *(pair for pairs in corpus.tests.values() for pair in pairs)]


def test_each_pair_is_trained_and_then_its_reverse_with_the_tag_of_what_is_written(write):
    corpus = open_corpus(both(write(numbered(100)), held_out=5), seed=1)
    train = list(corpus.train())
    assert train == list(corpus.train())
    assert len(train) == corpus.train_pairs == 180
    for there, back in zip(train[::2], train[1::2], strict=True):
        assert there.source == f"{ES} {back.target}"
        assert back.source == f"{EN} {there.target}"


def test_a_pair_is_held_out_both_ways_and_each_direction_has_its_own_test(write):
    corpus = open_corpus(both(write(numbered(100)), held_out=5), seed=1)
    there, back = corpus.tests["en_es"], corpus.tests["es_en"]
    assert [*corpus.tests] == ["en_es", "es_en"]
    assert len(there) == len(back) == 5
    assert {(pair.source.removeprefix(f"{ES} "), pair.target) for pair in there} == {
        (pair.target, pair.source.removeprefix(f"{EN} ")) for pair in back
    }
    assert not sources(corpus.train()) & sources(held_out(corpus))
    assert "5 pairs held out both ways for the test set" in corpus.findings


def test_the_first_sentences_of_the_validation_set_hold_every_direction(write):
    corpus = open_corpus(both(write(numbered(100)), held_out=5), seed=1)
    assert [split_tags(pair.source)[0] for pair in corpus.valid] == [f"{ES} ", f"{EN} "] * 5


def test_the_forward_split_is_that_of_one_direction(write):
    train = write(numbered(200))
    one = open_corpus(FilesCorpus(train=train, held_out=10), seed=4)
    two = open_corpus(both(train, held_out=10), seed=4)
    assert [split_tags(pair.source)[1] for pair in two.tests["en_es"]] == [
        pair.source for pair in one.tests["test"]
    ]


def test_what_is_a_test_source_of_one_direction_is_dropped_from_that_one_alone(write):
    test = write([Pair("sentence 1", "frase 2")], "test")
    valid = write([Pair("another", "otra")], "valid")
    corpus = open_corpus(both(write(numbered(100)), test=test, valid=valid), seed=0)
    everything = {f"{ES} sentence {n}" for n in range(100)} | {
        f"{EN} frase {n}" for n in range(100)
    }
    train = list(corpus.train())
    assert everything - sources(train) == {f"{ES} sentence 1", f"{EN} frase 2"}
    assert len(train) == corpus.train_pairs == 198
    assert f"2 pairs {LEAKED}" in corpus.findings


WORDS = st.sampled_from("abcdefgh")
TEXT = st.lists(WORDS, min_size=1, max_size=3).map(" ".join)


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(pairs=st.lists(st.tuples(TEXT, TEXT), max_size=60), seed=st.integers(0, 99))
def test_no_test_source_of_either_direction_is_trained_on(write, pairs, seed):
    everything = [Pair(*pair) for pair in pairs] + numbered(40)
    corpus = open_corpus(both(write(everything), held_out=6), seed=seed)
    train = list(corpus.train())
    assert not sources(train) & sources(held_out(corpus))
    assert len(train) == corpus.train_pairs
    assert len(corpus.tests["en_es"]) == len(corpus.tests["es_en"]) > 0


def test_several_parts_are_tagged_by_what_they_write_and_leak_nothing_to_each_other(write):
    one = FilesCorpus(
        train=write(numbered(100), "one"), held_out=8, source_language="en", target_language="es"
    )
    french = [Pair(pair.source, pair.target.replace("frase", "phrase")) for pair in numbered(100)]
    two = FilesCorpus(
        train=write(french, "two"), held_out=8, source_language="en", target_language="fr"
    )
    again = one.model_copy(update={"train": (write(numbered(100, 50), "three"),), "seed": 5})
    corpus = open_corpus(SeveralCorpus(parts=(one, two, again)), seed=1)
    train = list(corpus.train())
    assert len(train) == corpus.train_pairs
    assert not sources(train) & sources(held_out(corpus))
    tags = {"｟31｠ ", "｟30｠ "}
    assert {split_tags(pair.source)[0] for pair in train} == tags
    assert {split_tags(pair.source)[0] for pair in corpus.valid[:2]} == tags
    assert {name: len(pairs) for name, pairs in corpus.tests.items()} == {"en_es": 16, "en_fr": 8}
    leaks = [line for line in corpus.findings if LEAKED in line]
    assert leaks
    assert all(line.startswith("en to es: ") for line in leaks)


def test_several_languages_into_one_need_no_tag(write):
    parts = [
        FilesCorpus(
            train=write(numbered(60, start), name),
            held_out=3,
            source_language=name,
            target_language="en",
        )
        for name, start in (("es", 0), ("fr", 100))
    ]
    corpus = open_corpus(SeveralCorpus(parts=tuple(parts)), seed=1)
    assert set(corpus.tests) == {"es_en", "fr_en"}
    assert not any(split_tags(pair.source)[0] for pair in [*corpus.train(), *held_out(corpus)])


def test_the_sets_of_every_direction_are_stored_with_their_tags(write, tmp_path):
    part = both(write(numbered(100)), held_out=5)
    odd = part.model_copy(update={"source_language": "zh-Hant", "target_language": "ไทย"})
    corpus = open_corpus(SeveralCorpus(parts=(part, odd)), seed=1)
    save_held_out(corpus, tmp_path / "split")
    stored = load_held_out(tmp_path / "split")
    assert (stored.valid, stored.tests) == (corpus.valid, corpus.tests)
    assert len(corpus.tests) == 4
    assert all(NAME.fullmatch(name) for name in corpus.tests)


def test_extra_pairs_are_trained_on_but_never_held_out(write):
    extra = write(numbered(50, 1000), "extra")
    plain = FilesCorpus(train=write(numbered(100)), held_out=5)
    corpus = open_corpus(plain.model_copy(update={"extra": (extra,)}), seed=1)
    before = open_corpus(plain, seed=1)
    train = list(corpus.train())
    assert (corpus.valid, corpus.tests) == (before.valid, before.tests)
    assert train == [*before.train(), *numbered(50, 1000)]
    assert corpus.train_pairs == len(train) == 140
    assert extra in corpus.files


def test_extra_pairs_that_stand_elsewhere_are_dropped_and_counted(write):
    plain = FilesCorpus(train=write(numbered(100)), held_out=5)
    first = open_corpus(plain, seed=1)
    secret, known = first.tests["test"][0], next(first.train())
    lines = [
        Pair(f" {secret.source}", "otra"),  # a test source
        Pair("another", secret.target),  # a test target, as in text for back-translation
        known,  # a training pair
        Pair("new", "nueva"),
        Pair("new ", "nueva"),  # itself
        Pair(known.source, "otra"),  # another translation: kept
    ]
    corpus = open_corpus(plain.model_copy(update={"extra": (write(lines, "extra"),)}), seed=1)
    train = list(corpus.train())
    assert train[first.train_pairs :] == [lines[3], lines[5]]
    assert corpus.train_pairs == len(train)
    assert f"2 pairs {LEAKED}" in corpus.findings
    assert f"2 pairs {REPEATED}" in corpus.findings


def test_extra_pairs_bear_a_mark_and_go_forward_only(write):
    extra = write(numbered(3, 1000), "extra")
    corpus = open_corpus(
        both(write(numbered(100)), held_out=5, extra=extra, tag_extra=True), seed=1
    )
    last = list(corpus.train())[-3:]
    assert last == [Pair(f"{ES} ｟15｠ {p.source}", p.target) for p in numbered(3, 1000)]
    assert corpus.train_pairs == 183
    plain = FilesCorpus(train=write(numbered(100)), extra=extra, tag_extra=True)
    assert list(open_corpus(plain, seed=1).train())[-1].source == "｟15｠ sentence 1002"


def test_an_extra_file_that_changes_after_opening_is_noticed(write):
    extra = write(numbered(9, 1000), "extra")
    corpus = open_corpus(FilesCorpus(train=write(numbered(100)), extra=extra), seed=1)
    write(numbered(8, 1000), "extra")
    with pytest.raises(DataError, match=r"extra\.tsv: the file has changed"):
        list(corpus.train())


def test_the_seed_of_the_corpus_comes_before_that_of_the_recipe(write, tmp_path):
    part = FilesCorpus(train=write(numbered(300)), held_out=10, seed=7)
    grammar = GrammarCorpus(pairs=50, held_out=5, difficulty=2, seed=7)
    whole = SeveralCorpus(parts=(part.model_copy(update={"seed": None}),), seed=7)
    for settings_ in (part, whole, grammar):
        one, other = (open_corpus(settings_, seed) for seed in (1, 2))
        assert one.seed == other.seed == 7
        assert (one.valid, one.tests) == (other.valid, other.tests)
        assert list(one.train()) == list(other.train())
        for name, corpus in (("one", one), ("other", other)):
            train_tokenizer_pair(BpeTokenizerSettings(vocab_size=330), corpus.train()).save(
                tmp_path / name
            )
        assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()
        free = settings_.model_copy(update={"seed": None})
        assert open_corpus(free, 1).valid != open_corpus(free, 2).valid
    assert open_corpus(whole, 1).valid == open_corpus(part, 1).valid
    own = SeveralCorpus(parts=(part.model_copy(update={"seed": 8}),), seed=7)
    assert open_corpus(own, 1).valid != open_corpus(whole, 1).valid
