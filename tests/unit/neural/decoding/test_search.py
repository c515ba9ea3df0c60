import pytest
import torch
from decoding_tables import END, START, Chain, Table, sources

from dragoman.config.training import DecodingSettings
from dragoman.core.errors import ConfigError, DivergedError
from dragoman.neural.decoding.protocol import NextToken
from dragoman.neural.decoding.search import search

GREEDY = DecodingSettings(beam=1)
BEAM = DecodingSettings(beam=3)

# Sentence 0 ends at once, sentence 1 after two tokens, sentence 2 never.
STAIRS = torch.full((3, 4, 4, 4, 4), -20.0)
STAIRS[..., 2] = 0.0
STAIRS[0, ..., END] = 20.0
STAIRS[1, 2:, ..., END] = 20.0


def test_a_table_is_a_model_to_the_search():
    assert isinstance(Table(STAIRS), NextToken)


def test_greedy_asks_only_for_sentences_that_still_grow():
    model = Table(STAIRS)
    settings = DecodingSettings(beam=1, max_length_extra=5, max_length_ratio=0.5, loop_guard=0)
    found = search(model, sources(2, 0, 1), [1, 1, 1], settings, start=START, end=END)
    assert [each[0].tokens for each in found] == [(2,) * 5, (), (2, 2)]
    assert model.asked == [3, 2, 2, 1, 1]


def test_beam_search_begins_with_one_row_and_drops_sentences_that_are_done():
    model = Table(STAIRS)
    settings = DecodingSettings(
        beam=2, max_length_extra=5, max_length_ratio=0.5, loop_guard=0, length_penalty=0.0
    )
    found = search(model, sources(2, 0, 1), [1, 1, 1], settings, start=START, end=END)
    assert [each[0].tokens for each in found] == [(2,) * 5, (), (2, 2)]
    assert model.asked == [3, 4, 4, 2, 2]


@pytest.mark.parametrize("settings", [GREEDY, BEAM])
def test_an_empty_batch_gives_an_empty_list(settings):
    empty = torch.empty((0, 4), dtype=torch.long)
    assert search(Table(STAIRS), empty, [], settings, start=START, end=END) == []


@pytest.mark.parametrize("settings", [GREEDY, BEAM])
def test_forbidden_tokens_never_come_out(settings):
    model = Table.random(1, sentences=5)
    found = search(
        model, sources(*range(5)), [3] * 5, settings, start=START, end=END, forbidden=[START, 3]
    )
    assert all({START, 3, END}.isdisjoint(each[0].tokens) for each in found)


@pytest.mark.parametrize("settings", [GREEDY, BEAM])
def test_the_models_own_numbers_are_left_alone(settings):
    model = Table.random(1)
    before = model.log_probs.clone()
    search(model, sources(0), [3], settings, start=START, end=END, forbidden=[START])
    torch.testing.assert_close(model.log_probs, before, rtol=0, atol=0)


@pytest.mark.parametrize("settings", [GREEDY, BEAM])
def test_an_output_with_no_way_on_is_kept_as_it_is(settings):
    model = Chain({START: {2: 1.0}, 2: {3: 1.0}}, vocabulary=4)
    model.log_probs[..., 3, :] = -torch.inf
    model.log_probs[..., :3, END] = -torch.inf
    (found,) = search(model, sources(0), [9], settings, start=START, end=END, forbidden=[START])
    assert found[0].tokens[-1] == 3
    assert not found[0].finished


@pytest.mark.parametrize("settings", [GREEDY, BEAM])
def test_numbers_that_are_no_numbers_are_refused(settings):
    broken = Table(STAIRS * torch.nan)
    with pytest.raises(DivergedError, match="NaN"):
        search(broken, sources(0), [3], settings, start=START, end=END)


def test_more_outputs_than_the_beam_holds_are_refused():
    with pytest.raises(ConfigError, match=r"4 outputs .* beam of 3.*decoding\.beam=4"):
        search(Table(STAIRS), sources(0), [3], BEAM, start=START, end=END, nbest=4)


def test_end_cannot_be_forbidden():
    with pytest.raises(ValueError, match="END"):
        search(Table(STAIRS), sources(0), [3], BEAM, start=START, end=END, forbidden=[END])
