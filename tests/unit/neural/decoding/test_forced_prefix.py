import math

import pytest
from decoding_tables import END, START, Chain, Table, looked_for
from hypothesis import given
from hypothesis import settings as cases
from hypothesis import strategies as st

BEAMS = [1, 2, 5]


def find(model, prefixes, *names, **changes):
    """Search with at most seven steps, or what is changed."""
    return looked_for(model, names, prefixes=prefixes, **{"max_length_extra": 7, **changes})


@pytest.mark.parametrize("beam", BEAMS)
def test_the_output_begins_as_told_and_goes_on_as_the_model_wants(beam):
    model = Chain(
        {START: {2: 0.9, 3: 0.1}, 2: {END: 1.0}, 3: {4: 0.8, END: 0.2}, 4: {END: 1.0}}, vocabulary=5
    )
    assert find(model, None, beam=beam)[0][0].tokens == (2,)
    best = find(model, [[3]], beam=beam)[0][0]
    assert best.tokens == (3, 4)
    assert best.finished
    assert math.exp(best.log_probability) == pytest.approx(0.1 * 0.8)
    assert best.score == pytest.approx(best.log_probability / 3)


@cases(max_examples=60, deadline=None)
@given(
    st.integers(0, 10**6),
    st.sampled_from(BEAMS),
    st.lists(st.lists(st.integers(2, 4), max_size=9), min_size=3, max_size=3),
)
def test_a_score_is_that_of_all_its_tokens_forced_through_the_model(seed, beam, prefixes):
    model = Table.random(seed, sentences=3)
    found = find(model, prefixes, 0, 1, 2, beam=beam, nbest=beam)
    for sentence, (prefix, outputs) in enumerate(zip(prefixes, found, strict=True)):
        assert outputs
        for each in outputs:
            assert each.tokens[: len(prefix)] == tuple(prefix)
            tokens = (*each.tokens, END) if each.finished else each.tokens
            assert len(tokens) <= len(prefix) + 7
            forced = model.log_probability(sentence, tokens)
            assert each.log_probability == pytest.approx(forced, abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_a_wide_beam_finds_the_best_of_all_strings_with_that_beginning(seed):
    model = Table.random(seed)
    begin = (3, 2)
    ranked = sorted(
        ((total, tokens) for tokens, total in model.endings(6) if tokens[:2] == begin),
        reverse=True,
    )
    found = find(model, [begin], beam=512, nbest=10, length_penalty=0.0, max_length_extra=6)[0]
    finished = [each for each in found if each.finished and len(each.tokens) < 6]
    assert [each.tokens for each in finished][:5] == [tokens for _, tokens in ranked[:5]]


@pytest.mark.parametrize("beam", BEAMS)
def test_the_company_of_a_sentence_changes_nothing(beam):
    model = Table.random(5, sentences=6)
    prefixes = [[], [2], [3, 3, 3], [4, 2, 4, 2, 4, 2, 4, 2], [], [2, 3]]
    chosen = {"beam": beam, "no_repeat_ngram": 3, "loop_guard": 2}
    alone = [find(model, [prefixes[n]], n, **chosen)[0] for n in range(6)]
    assert find(model, prefixes, *range(6), **chosen) == alone
    order = [3, 0, 5, 1, 4, 2, 3]
    shuffled = find(model, [prefixes[n] for n in order], *order, **chosen)
    assert shuffled == [alone[n] for n in order]


@pytest.mark.parametrize("seed", range(8))
def test_what_greedy_search_writes_by_itself_it_writes_when_told_its_beginning(seed):
    model = Table.random(seed)
    room = {"max_length_ratio": 20.0, "max_length_extra": 1}
    (free,) = find(model, None, beam=1, **room)[0]
    for length in range(len(free.tokens)):
        assert find(model, [free.tokens[:length]], beam=1, **room)[0][0] == free


@pytest.mark.parametrize("beam", BEAMS)
def test_an_empty_beginning_is_none(beam):
    model = Table.random(2, sentences=3)
    names = (0, 1, 2)
    free = find(model, None, *names, beam=beam, nbest=beam)
    assert find(model, [[], [], []], *names, beam=beam, nbest=beam) == free
    assert find(model, [[], [4, 4], ()], *names, beam=beam, nbest=beam)[::2] == free[::2]


@pytest.mark.parametrize("beam", BEAMS)
def test_guards_have_no_say_in_what_is_told_but_in_what_comes_after(beam):
    model = Chain({START: {2: 1.0}, 2: {2: 0.9, END: 0.1}}, vocabulary=4)
    told = [2, 2, 2, 2, 3]
    (found,) = find(model, [told], beam=beam, loop_guard=2, no_repeat_ngram=2, forbidden=(START, 3))
    assert found[0].tokens[:5] == tuple(told)
    assert 3 not in found[0].tokens[5:]
    (found,) = find(model, [[2, 2, 2]], beam=beam, loop_guard=2)
    assert found[0].tokens == (2, 2, 2)
    assert found[0].finished


@pytest.mark.parametrize("beam", BEAMS)
def test_a_beginning_longer_than_the_longest_output_has_room_to_end(beam):
    model = Chain({START: {2: 1.0}, 2: {3: 0.9, END: 0.1}, 3: {END: 1.0}}, vocabulary=4)
    (found,) = find(model, [[2] * 30], beam=beam, max_length_extra=2)
    assert found[0].tokens == (*[2] * 30, 3)
    assert found[0].finished


def test_what_is_no_token_of_an_output_cannot_be_told():
    for wrong in ([END], [2, END], [-1]):
        with pytest.raises(ValueError, match="a prefix holds END"):
            find(Table.random(0), [wrong])
    with pytest.raises(ValueError, match="zip"):
        find(Table.random(0), [[2], [3]])
