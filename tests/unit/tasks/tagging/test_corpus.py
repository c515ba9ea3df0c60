"""Tagged sentences: how they are split, drawn and stored."""

from collections import Counter

import pytest
from tests.toy_tags import conll, sentences

from dragoman.config.tagging import GeneratedTags, TaggedCorpus
from dragoman.core.errors import DataError
from dragoman.data.corpus.generators.agreement import PEOPLE, THINGS
from dragoman.tasks.tagging import corpus
from dragoman.tasks.tagging.corpus import open_tagged
from dragoman.tasks.tagging.entities import entities_of
from dragoman.tasks.tagging.held_out import load_held_out_tagged, load_lexicon, save_held_out_tagged

ALL = sentences(100)
NUMBER = {noun[plural]: ("SG", "PL")[plural] for noun in (*PEOPLE, *THINGS) for plural in (0, 1)}


@pytest.fixture
def write(tmp_path):
    """Write sentences into a file of some name."""

    def writing(sentences, name="corpus.tsv"):
        (tmp_path / name).write_text(conll(sentences), encoding="utf-8")
        return tmp_path / name

    return writing


def sets_of(opened):
    return [{*opened.train()}, {*opened.valid}, {*opened.test}]


def test_every_sentence_is_in_one_set_and_a_share_is_held_out(write):
    opened = open_tagged(TaggedCorpus(train=write(ALL), held_out=0.2), seed=1)
    train, valid, test = sets_of(opened)
    assert (len(train), len(valid), len(test)) == (60, 20, 20)
    assert train | valid | test == {*ALL}
    assert opened.train_sentences == 60
    assert "20 sentences held out for the test set" in opened.findings


def test_the_sets_depend_on_the_seed_and_not_on_the_order(write):
    one = sets_of(open_tagged(TaggedCorpus(train=write(ALL)), seed=1))
    other = sets_of(open_tagged(TaggedCorpus(train=write(ALL[::-1], "turned.tsv")), seed=1))
    assert one == other
    assert one != sets_of(open_tagged(TaggedCorpus(train=write(ALL)), seed=2))
    assert one == sets_of(open_tagged(TaggedCorpus(train=write(ALL), seed=1), seed=2))


def test_repeats_are_read_once_and_the_same_words_stay_together(write):
    words, labels = ALL[0]
    other = (words, ("O",) * len(labels))
    opened = open_tagged(TaggedCorpus(train=write([*ALL, ALL[0], other])), seed=1)
    assert "1 sentences dropped: the same words and labels stand earlier" in opened.findings
    homes = [part for part in sets_of(opened) if {ALL[0], other} & part]
    assert len(homes) == 1
    assert {ALL[0], other} <= homes[0]


def test_what_is_held_out_by_a_file_is_never_trained_on(write):
    valid, test = write(ALL[:10], "valid.tsv"), write(ALL[10:30], "test.tsv")
    opened = open_tagged(TaggedCorpus(train=write(ALL), valid=valid, test=test), seed=1)
    assert sets_of(opened) == [{*ALL[30:]}, {*ALL[:10]}, {*ALL[10:30]}]
    assert "30 sentences dropped from training: the same words are held out" in opened.findings


def test_labels_and_words_are_counted_in_the_training_set_alone(write):
    held = [(("sun", "set"), ("O", "B-ANIMAL"))]
    opened = open_tagged(
        TaggedCorpus(train=write(ALL), valid=write(held, "v.tsv"), test=write(held, "t.tsv")), 1
    )
    whole = Counter(label for _, labels in ALL for label in labels)
    assert opened.labels == dict(sorted(whole.items()))
    assert "sun" not in opened.lexicon
    at_the = Counter(
        label for one in ALL for word, label in zip(*one, strict=True) if word == "the"
    )
    assert opened.lexicon["the"] == at_the.most_common(1)[0][0]
    assert opened.lexicon["cat"] == "I-ANIMAL"


def test_a_label_that_only_the_held_out_sentences_have_is_known(write):
    rare = (("one", "odd", "word"), ("O", "ODD", "O"))
    opened = open_tagged(TaggedCorpus(train=write([*ALL, rare]), held_out=0.45), seed=1)
    assert rare not in {*opened.train()}
    assert opened.labels["ODD"] == 0


@pytest.mark.parametrize("part", ["valid", "test"])
def test_a_label_that_no_training_file_has_is_refused_where_it_stands(write, part):
    own = write([*ALL[:2], (("a", "b"), ("O", "I-ANIMALS"))], "own.tsv")
    line = sum(len(words) + 1 for words, _ in ALL[:2]) + 2
    settings = TaggedCorpus.model_validate({"train": write(ALL), part: own})
    with pytest.raises(DataError, match=rf"own.tsv:{line}: the label 'I-ANIMALS' .*'I-ANIMAL'"):
        open_tagged(settings, seed=1)


def test_what_cannot_be_learned_from_is_refused(write, monkeypatch):
    with pytest.raises(DataError, match=r"'O' is the label of every word"):
        open_tagged(TaggedCorpus(train=write([(("a",), ("O",))] * 3)), seed=1)
    with pytest.raises(DataError, match=r"too few different sentences"):
        open_tagged(TaggedCorpus(train=write([(("a", "b"), ("O", "X"))] * 3)), seed=1)
    (empty := write([], "none.tsv")).write_text("\n\n")
    with pytest.raises(DataError, match=r"none.tsv: holds no tagged sentence to train on"):
        open_tagged(TaggedCorpus(train=empty), seed=1)
    monkeypatch.setattr(corpus, "MOST_LABELS", 2)
    with pytest.raises(DataError, match=r"corpus.tsv:\d+: .* is label number 3; limit: 2"):
        open_tagged(TaggedCorpus(train=write(ALL)), seed=1)


def test_what_is_held_out_is_stored_and_comes_back(write, tmp_path):
    opened = open_tagged(TaggedCorpus(train=write(ALL)), seed=1)
    save_held_out_tagged(opened, tmp_path / "data")
    held = load_held_out_tagged(tmp_path / "data")
    assert (held.valid, held.test) == (opened.valid, opened.test)
    assert (held.labels, held.findings) == (opened.labels, opened.findings)
    assert held.train_sentences == opened.train_sentences
    assert load_lexicon(tmp_path / "data") == opened.lexicon
    (tmp_path / "data/test.tsv").write_text("a\tO\n\n")
    with pytest.raises(DataError, match=r"test.tsv: 1 sentences, where split.json says 10"):
        load_held_out_tagged(tmp_path / "data")
    (tmp_path / "data/words.tsv").write_text("a\tO\n")
    with pytest.raises(DataError, match=r"words.tsv: is not the table"):
        load_lexicon(tmp_path / "data")


@pytest.fixture(scope="module")
def drawn():
    settings = GeneratedTags(sentences=400, held_out=50)
    return open_tagged(settings, seed=1)


def test_drawn_sentences_are_as_many_as_asked_all_different_and_follow_from_the_seed(drawn):
    train, valid, test = sets_of(drawn)
    assert (len(train), len(valid), len(test)) == (400, 50, 50)
    assert len(train | valid | test) == 500
    again = open_tagged(GeneratedTags(sentences=400, held_out=50), seed=1)
    assert sets_of(again) == [train, valid, test]


def test_a_determiner_and_an_adjective_have_the_number_of_the_noun_after_them(drawn):
    for words, labels in drawn.train():
        for place, label in enumerate(labels):
            before_noun = labels[place + 1 : place + 2] != () and not label.startswith("NOUN")
            if before_noun and words[place + 1] in NUMBER and label[:3] in ("DET", "ADJ"):
                assert label[4:] == NUMBER[words[place + 1]]


def test_the_verb_and_what_is_said_of_the_subject_have_its_number(drawn):
    for words, labels in drawn.train():
        head = next(NUMBER[word] for word in words if word in NUMBER)
        (verb,) = (place for place, word in enumerate(words) if word in VERBS)
        assert labels[verb] == f"VERB-{head}"
        assert VERBS[words[verb]] == head
        for label in labels[verb + 1 :]:
            if label.startswith(("ADJ", "VERB")):
                assert label.endswith(head)
        if "who" in words:
            assert {labels[words.index("who")], labels[words.index("who") + 1]} == {
                f"PRON-{head}",
                f"VERB-{head}",
            }


VERBS = {"is": "SG", "are": "PL", "was": "SG", "were": "PL", "has": "SG", "have": "PL"}


def test_a_clause_of_time_has_a_subject_of_its_own(drawn):
    seen = 0
    for words, labels in drawn.train():
        if "when" in words:
            place = words.index("when")
            assert labels[place] == "CONJ"
            assert labels[place + 3] == f"VERB-{NUMBER[words[place + 2]]}"
            seen += 1
    assert seen > 20


def test_noun_phrases_are_entities_that_end_with_their_noun(drawn):
    marked = open_tagged(GeneratedTags(labels="phrases", sentences=400, held_out=50), seed=1)
    for parts, one in zip(drawn.train(), marked.train(), strict=True):
        assert one.words == parts.words
        entities = entities_of(one.labels)
        nouns = [place for place, label in enumerate(parts.labels) if label.startswith("NOUN")]
        assert [entity.end - 1 for entity in entities] == nouns
        assert entities[0].begin == 0
        for entity in entities:
            assert parts.labels[entity.end - 1] == f"NOUN-{entity.type}"
