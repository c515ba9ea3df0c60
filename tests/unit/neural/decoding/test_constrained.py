"""Outputs that must hold given phrases."""

import pytest
import torch
from decoding_tables import END, START, Chain, Table, looked_for
from hypothesis import given
from hypothesis import settings as cases
from hypothesis import strategies as st

from dragoman.core.errors import ConfigError
from dragoman.neural.decoding.constrained import best_of_banks
from dragoman.neural.decoding.phrases import PhraseTries

WORDS = st.integers(2, 4)


def phrases(longest):
    return st.lists(WORDS, min_size=1, max_size=longest)


def constraints(most, longest):
    return st.lists(st.lists(phrases(longest), min_size=1, max_size=2), max_size=most)


def find(model, wanted, *names, **changes):
    return looked_for(model, names, constraints=wanted, **changes)


def holds(tokens, phrase):
    size = len(phrase)
    return any(list(tokens[at : at + size]) == list(phrase) for at in range(len(tokens) - size + 1))


def lacking(tokens, wanted):
    """Count the constraints that a text does not meet, by looking for each phrase everywhere."""
    return sum(not any(holds(tokens, phrase) for phrase in one) for one in wanted)


class Room(Table):
    """A table that has room for so many steps."""

    steps = 6

    def room(self, source):
        return torch.full((len(source),), self.steps)


@cases(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), constraints(2, 3), st.sampled_from([0.0, 1.0]))
def test_a_beam_wide_enough_finds_what_trying_every_string_finds(seed, wanted, penalty):
    model = Room.random(seed)
    ranked = sorted(
        (
            (total / (len(tokens) + 1) ** penalty, tokens)
            for tokens, total in model.endings(6)
            if not lacking(tokens, wanted)
        ),
        reverse=True,
    )
    found = find(model, [wanted], beam=1024, nbest=10, length_penalty=penalty)[0]
    finished = [each for each in found if each.finished]
    assert [each.tokens for each in finished] == [tokens for _, tokens in ranked[:10]]
    assert [each.score for each in finished] == pytest.approx([s for s, _ in ranked[:10]])
    assert len(finished) == min(10, len(ranked))
    assert [each.unmet for each in found] == [lacking(each.tokens, wanted) for each in found]


@cases(max_examples=100, deadline=None)
@given(
    st.integers(0, 10**6),
    st.lists(constraints(3, 3), min_size=2, max_size=2),
    st.sampled_from([1, 2, 3, 5]),
)
def test_the_smallest_beams_meet_all_and_say_what_it_costs(seed, wanted, beam):
    model = Table.random(seed, sentences=2)
    found = find(model, wanted, 0, 1, beam=beam, nbest=beam)
    for sentence, (each_wanted, outputs) in enumerate(zip(wanted, found, strict=True)):
        assert lacking(outputs[0].tokens, each_wanted) == 0
        for each in outputs:
            assert each.unmet == lacking(each.tokens, each_wanted)
            assert not (each.finished and each.unmet)
            tokens = (*each.tokens, END) if each.finished else each.tokens
            forced = model.log_probability(sentence, tokens)
            assert each.log_probability == pytest.approx(forced, abs=1e-9)
        ranks = [(each.finished, -each.unmet, each.score) for each in outputs]
        assert ranks == sorted(ranks, reverse=True)


def test_a_phrase_that_breaks_off_is_owed_again():
    # After "2" the model would go on with "4", but the phrase is "2 3"; it comes later and whole.
    model = Chain(
        {START: {2: 0.9, 3: 0.1}, 2: {4: 0.9, 3: 0.1}, 3: {END: 1.0}, 4: {2: 0.6, END: 0.4}},
        vocabulary=5,
    )
    (free,) = find(model, None, beam=4, length_penalty=0.0)[0]
    assert free.tokens == (2, 4)
    (best,) = find(model, [[[[2, 3]]]], beam=4, length_penalty=0.0)[0]
    assert best.tokens == (2, 3)
    (best,) = find(model, [[[[4, 2, 3]]]], beam=4, length_penalty=0.0)[0]
    assert best.tokens == (2, 4, 2, 3)


def test_of_several_spellings_the_likeliest_is_taken():
    model = Chain({START: {2: 0.6, 3: 0.3, 4: 0.1}, 2: {END: 1.0}, 3: {END: 1.0}, 4: {END: 1.0}}, 5)
    assert find(model, [[[[4], [3]]]], beam=3)[0][0].tokens == (3,)
    assert find(model, [[[[4]]]], beam=3)[0][0].tokens == (4,)


def test_where_there_is_no_room_the_output_that_meets_most_is_taken_and_says_so():
    model = Room.random(3)
    model.steps = 3
    wanted = [[[2, 2]], [[3]], [[4, 4]]]
    (best, *others) = find(model, [wanted], beam=6, nbest=6)[0]
    assert not best.finished
    assert best.unmet == lacking(best.tokens, wanted) == 1
    assert all(other.unmet >= best.unmet for other in others)


@pytest.mark.parametrize("beam", [1, 2, 5])
def test_a_sentence_without_constraints_is_searched_as_ever(beam):
    model = Table.random(4, sentences=4)
    free = find(model, None, *range(4), beam=beam, nbest=beam)
    assert find(model, [[]] * 4, *range(4), beam=beam, nbest=beam) == free
    mixed = find(model, [[], [[[3, 3]]], [], [[[4], [2]]]], *range(4), beam=beam, nbest=beam)
    for name in (0, 2):
        assert [each.tokens for each in mixed[name]] == [each.tokens for each in free[name]]
        assert mixed[name] == free[name]


def test_the_company_of_a_sentence_changes_nothing():
    model = Table.random(6, sentences=4)
    wanted = [[[[3, 3]], [[2], [4, 4]]], [], [[[4, 2, 3]]], [[[2]], [[3]], [[4]]]]
    alone = [find(model, [wanted[n]], n, beam=3, nbest=3)[0] for n in range(4)]
    assert find(model, wanted, *range(4), beam=3, nbest=3) == alone
    order = [2, 0, 3, 1, 2]
    shuffled = find(model, [wanted[n] for n in order], *order, beam=3, nbest=3)
    assert shuffled == [alone[n] for n in order]


def test_a_phrase_that_begins_with_start_counts_at_the_beginning_only():
    model = Chain({START: {2: 1.0}, 2: {3: 0.9, 4: 0.1}, 3: {END: 1.0}, 4: {END: 1.0}}, 5)
    assert find(model, [[[[START, 3], [4]]]], beam=4, length_penalty=0.0)[0][0].tokens == (2, 4)
    model = Chain({START: {2: 0.9, 3: 0.1}, 2: {3: 1.0}, 3: {END: 1.0}}, 5)
    assert find(model, [[[[START, 3], [4]]]], beam=4, length_penalty=0.0)[0][0].tokens == (3,)


def test_guards_do_not_keep_out_what_must_come():
    model = Table.random(1)
    wanted = [[[2, 2, 2, 2, 2]]]
    for beam in (1, 4):
        (found,) = find(model, [wanted], beam=beam, loop_guard=2, no_repeat_ngram=2)
        assert not lacking(found[0].tokens, wanted)


@pytest.mark.parametrize("beam", [1, 2, 4])
def test_guards_keep_out_a_token_of_a_phrase_that_has_come(beam):
    model = Chain({START: {2: 1.0}, 2: {2: 0.98, 3: 0.02}, 3: {2: 0.9, END: 0.1}}, vocabulary=5)
    (found,) = find(model, [[[[3, 2]]]], beam=beam, loop_guard=2, max_length_extra=12)
    assert holds(found[0].tokens, (3, 2))
    assert not holds(found[0].tokens, (2, 2, 2))


@pytest.mark.parametrize("beam", [1, 3])
def test_a_beginning_that_is_told_may_meet_a_constraint(beam):
    model = Chain({START: {4: 1.0}, 2: {3: 1.0}, 3: {END: 1.0}, 4: {END: 1.0}}, vocabulary=5)
    (found,) = find(model, [[[[2, 3]]]], beam=beam, prefixes=[[2]])
    assert found[0].tokens == (2, 3)
    assert found[0].finished
    (found,) = find(model, [[[[2]]]], beam=beam, prefixes=[[2]])
    assert found[0].tokens == (2, 3)


def test_banks_give_their_best_in_turn():
    candidates = torch.tensor([[-1.0, -2.0, -3.0, -4.0, -9.0, -torch.inf]], dtype=torch.float64)
    owed = torch.tensor([[2, 2, 2, 1, 0, 0]])
    for beam, wanted in ((1, [4]), (2, [4, 3]), (3, [4, 3, 0]), (4, [4, 3, 0, 1])):
        assert best_of_banks(candidates, owed, beam).tolist() == [wanted]


@cases(max_examples=150, deadline=None)
@given(constraints(3, 4), st.lists(WORDS, max_size=12))
def test_phrases_know_what_a_text_holds_and_what_it_owes(wanted, text):
    known = PhraseTries([wanted], start=START)
    node, met = known.begun, known.shortest.eq(0)
    for token in text:
        node = known.move(node, torch.tensor([token]))
        met = met | known.met(node)
    assert int((~met).sum()) == lacking(text, wanted)
    owed = known.owed(node, met, known.shortest)
    assert (owed.item() == 0) == (lacking(text, wanted) == 0)
    while owed.item():  # some token of a phrase always brings the number down
        steps = [known.move(node, torch.tensor([t])) for t in known.tokens[0].tolist() if t >= 0]
        after = [known.owed(n, met | known.met(n), known.shortest).item() for n in steps]
        assert min(after) < owed.item()
        node = steps[after.index(min(after))]
        met, owed = met | known.met(node), torch.tensor([min(after)])
    assert met.all()


def test_what_no_output_can_hold_is_refused():
    for wrong in ([[[]]], [[[END]]], [[[2, START]]], [[[START]]], [[[-1]]], [[]]):
        with pytest.raises(ValueError, match="a constraint has"):
            find(Table.random(0), [wrong])
    with pytest.raises(ValueError, match="zip"):
        find(Table.random(0), [[[[2]]], [[[2]]]])
    with pytest.raises(ConfigError, match=r"decoding\.groups: words that must come"):
        find(Table.random(0), [[[[2]]]], beam=4, groups=2)
