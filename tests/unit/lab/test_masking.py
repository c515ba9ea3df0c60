"""Masking: the sentences, the judges, and verdicts that can fall every way."""

import pytest
import torch

from dragoman.data.tokenizer.special_tokens import END, FIRST_PIECE, START
from dragoman.lab.experiment import Result
from dragoman.lab.experiments.masking.data import GrammarLine, SentenceCounts, draw_sentences
from dragoman.lab.experiments.masking.experiment import (
    WAYS,
    MaskingTrial,
    draw,
    measure_trial,
    tables,
)
from dragoman.lab.experiments.masking.judging import (
    known_pairs,
    probe,
    share_in_order,
    visible_words,
    write_causal,
    write_masked,
)
from dragoman.lab.experiments.masking.verdicts import (
    BERT,
    CAUSAL,
    MASKS,
    MIXED,
    PAIRS,
    ROBERTA,
    STATIC,
    decide,
)

NOISE = (0.0, 0.004, -0.005)
SMALL = SentenceCounts(train=300, held_out=150)


def make_results(**changed):
    usual = {
        "probe": 0.6, "visible": 2.0, "in_order": 0.3, "real_in_order": 0.5, "distinct": 1.0,
        "loss": 3.0, "accuracy": 0.4, "follows": 0.5,
    }  # fmt: skip
    return [
        {
            "name": name,
            "seed": seed,
            "parameters": 1000,
            **{
                key: changed.get(f"{name} {key}", value) + NOISE[seed] * (1 + len(name) / 9)
                for key, value in usual.items()
            },
        }
        for name in WAYS
        for seed in range(3)
    ]


def verdicts(**changed):
    return {one.hypothesis.ids[0]: one.verdict for one in decide(make_results(**changed))}


@pytest.mark.parametrize(
    ("gain", "visible", "verdict"),
    [
        (0.1, 2.0, "confirmed"),
        (0.0, 3.0, "corrected"),
        (0.0, 2.0, "refuted"),
        (-0.1, 3.0, "corrected"),
        (0.015, 3.0, "undecided"),
    ],
)
def test_the_mixture_is_judged_without_masks(gain, visible, verdict):
    noisy = {f"{MIXED} probe": 0.6 + gain, f"{MASKS} visible": visible}
    found = make_results(**noisy)
    if verdict == "undecided":
        for one in found:
            if one["name"] == MIXED:
                one["probe"] += 6 * NOISE[one["seed"]]
    assert decide(found)[0].verdict == verdict


@pytest.mark.parametrize(
    ("share", "verdict"), [(0.8, "confirmed"), (0.3, "refuted"), (0.5, "undecided")]
)
def test_pairs_are_held_against_a_guess(share, verdict):
    assert verdicts(**{f"{PAIRS} follows": share})["D33"] == verdict


@pytest.mark.parametrize(
    ("causal", "verdict"), [(0.6, "confirmed"), (0.1, "refuted"), (0.3, "undecided")]
)
def test_writing_is_held_against_a_causal_network(causal, verdict):
    assert verdicts(**{f"{CAUSAL} in_order": causal})["D36"] == verdict


@pytest.mark.parametrize(
    ("losses", "verdict"),
    [
        ({BERT: 4.0, STATIC: 3.8, PAIRS: 3.5}, "confirmed"),
        ({BERT: 4.0, STATIC: 4.0, PAIRS: 3.0}, "corrected"),
        ({BERT: 4.0, STATIC: 4.5, PAIRS: 2.5}, "corrected"),
        ({BERT: 2.0}, "refuted"),
        ({STATIC: 4.0}, "undecided"),
    ],
)
def test_roberta_must_gain_by_its_masks_and_without_pairs(losses, verdict):
    changed = {f"{name} loss": loss for name, loss in losses.items()}
    assert verdicts(**changed)["D37"] == verdict
    assert ROBERTA not in losses


@pytest.fixture(scope="module")
def drawn():
    return draw_sentences(SMALL, 1)


def test_a_story_keeps_to_its_subject(drawn):
    store = drawn.stories(drawn.train)
    assert len(store) > 10
    for number in range(len(store)):
        lines = [drawn.tokenizer.decode(ids.tolist()) for ids in store.sentences(number)]
        assert len(lines) == SMALL.story
        assert len({GrammarLine(line, "").subject for line in lines}) == 1


def test_sets_share_no_sentence(drawn):
    parts = [{one.text for one in part} for part in (drawn.train, drawn.valid, drawn.test)]
    assert sum(map(len, parts)) == len(set.union(*parts)) == 600
    assert draw_sentences(SMALL, 1).train == drawn.train
    assert draw_sentences(SMALL, 2).train != drawn.train


def test_a_text_is_in_order_where_every_neighbor_is_known():
    known = known_pairs([[5, 6], [6, 7]])
    assert known == {(START, 5), (5, 6), (6, END), (START, 6), (6, 7), (7, END)}
    assert share_in_order([[5, 6, 7], [6], [7], [5, 7]], known) == 0.5


class Fixed(torch.nn.Module):
    """A network that always wants one word, whatever it reads; its states are one-hot."""

    def __init__(self, entries, word):
        super().__init__()
        self.entries, self.word = entries, word

    def states(self, tokens):
        return torch.nn.functional.one_hot(tokens, self.entries).float()

    def words(self, states):
        scores = torch.full((*states.shape[:2], self.entries), -50.0)
        scores[..., self.word] = 50.0
        scores[..., START] = 90.0  # is no word, and never written
        return scores

    read = states

    def output(self, states):
        return self.words(states[:, None])[:, 0]


def test_a_masked_network_writes_words_of_the_given_lengths():
    model = Fixed(FIRST_PIECE + 9, FIRST_PIECE + 4)
    written = write_masked(model, [2, 3, 2], 2, torch.Generator().manual_seed(1))
    assert sorted(map(len, written)) == [2, 2, 3]
    assert {word for ids in written for word in ids} == {FIRST_PIECE + 4}


def test_a_causal_network_writes_until_it_ends():
    generator = torch.Generator().manual_seed(1)
    ends = Fixed(FIRST_PIECE + 9, END)
    assert write_causal(ends, 3, 5, generator) == [[], [], []]
    goes_on = Fixed(FIRST_PIECE + 9, FIRST_PIECE + 2)
    assert write_causal(goes_on, 1, 4, generator) == [[FIRST_PIECE + 2] * 5]


def test_the_probe_tells_classes_that_the_states_tell():
    model = Fixed(FIRST_PIECE + 9, 0)
    texts = [[FIRST_PIECE + 1, FIRST_PIECE + 3], [FIRST_PIECE + 2, FIRST_PIECE + 3]] * 10
    labels = ["one", "two"] * 10
    assert probe(model, (texts, labels), (texts, labels)) == 1.0
    assert probe(model, (texts, labels), (texts, labels[::-1])) == 0.0


def test_a_visible_word_costs_what_its_score_says():
    model = Fixed(FIRST_PIECE + 9, FIRST_PIECE + 1)
    assert visible_words(model, [[FIRST_PIECE + 1]]) == pytest.approx(40.0)  # START is preferred


@pytest.mark.parametrize("name", [MIXED, CAUSAL, BERT])
def test_a_few_steps_give_every_figure(name):
    trial = MaskingTrial(
        name=name, seed=1, way=WAYS[name], counts=SMALL, steps=2, labeled=30, written=10, sweeps=1,
        pair_epochs=1,
    )  # fmt: skip
    found = measure_trial(trial)
    assert ("in_order" in found) == (name != BERT)
    assert ("follows" in found) == (name == BERT)
    assert found["parameters"] > 1000


def test_the_tables_and_the_picture_show_every_way(tmp_path):
    results = make_results()
    shown = [line[0] for table in tables(results) for line in table.rows]
    assert shown == [*WAYS]
    draw(Result(results, [], []), tmp_path / "picture.png")
    assert (tmp_path / "picture.png").stat().st_size > 10_000
