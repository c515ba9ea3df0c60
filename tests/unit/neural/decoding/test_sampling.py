"""Texts drawn by chance, on tables of probabilities made by hand."""

import pytest
import torch
from decoding_tables import END, START, Chain, Table, sources
from pydantic import ValidationError

from dragoman.config.decoder_only import DecoderOnlySettings
from dragoman.config.sampling import SamplingSettings
from dragoman.config.training import DecodingSettings
from dragoman.core.errors import DivergedError
from dragoman.neural.decoding.sampling import NOTHING, sample, sample_token
from dragoman.neural.decoding.search import search
from dragoman.neural.models.decoder_only import DecoderOnly

ODDS = {2: 0.5, 3: 0.3, 4: 0.15, 5: 0.05}


def chance(seed=1):
    return torch.Generator().manual_seed(seed)


def steps_of(model, names=(0,), seed=1, forbidden=(START,), stop=None, **settings):
    """Draw with the first token START; return the tensors as they are handed out."""
    source = sources(*names)
    first = torch.full((len(names), 1), START)
    chosen = SamplingSettings(**settings)
    return sample(
        model,
        model.begin(source),
        first,
        chosen,
        chance(seed),
        end=END,
        forbidden=forbidden,
        stop=stop,
    )


def texts_of(model, names=(0,), **rest):
    steps = torch.stack(list(steps_of(model, names, **rest)), dim=1)
    return [[token for token in row if token != NOTHING] for row in steps.tolist()]


def frequencies(count=20_000, **settings):
    model = Chain({START: ODDS}, vocabulary=6)
    (tokens,) = steps_of(model, (0,) * count, max_tokens=1, **settings)
    return {token: (tokens == token).sum().item() / count for token in range(6)}


def near(found, wanted, count=20_000):
    """Each frequency within 4.5 standard deviations of the binomial."""
    for token, share in found.items():
        p = wanted.get(token, 0.0)
        assert abs(share - p) <= 4.5 * (p * (1 - p) / count) ** 0.5, (token, share, p)


def test_tokens_come_as_often_as_they_are_likely():
    near(frequencies(), ODDS)


def test_a_low_temperature_sharpens_and_a_high_one_flattens():
    for temperature in (0.5, 2.0):
        powers = {token: p ** (1 / temperature) for token, p in ODDS.items()}
        total = sum(powers.values())
        near(
            frequencies(temperature=temperature, forbidden=(0,), top_k=4),
            {token: p / total for token, p in powers.items()},
        )


def test_what_is_filtered_away_never_comes_and_the_others_share_its_chance():
    near(frequencies(top_k=2), {2: 5 / 8, 3: 3 / 8})
    near(frequencies(top_p=0.81), {2: 10 / 19, 3: 6 / 19, 4: 3 / 19})
    near(frequencies(forbidden=(0, 2)), {3: 0.6, 4: 0.3, 5: 0.1})


def test_a_number_of_chance_falls_on_the_token_whose_share_it_is_in():
    scores = torch.tensor([0.0, 0.25, 0.0, 0.5, 0.25, 0.0]).log().repeat(5, 1)
    numbers = torch.tensor([0.0, 0.2499, 0.25, 0.7499, 1 - 2**-53], dtype=torch.float64)
    assert sample_token(scores, numbers).tolist() == [1, 1, 3, 3, 4]


def test_whole_texts_come_as_often_as_they_are_likely():
    model, count = Table.random(3, vocabulary=4), 20_000
    texts = texts_of(model, (0,) * count, max_tokens=3, forbidden=())
    for tokens, log_probability in model.endings(3):
        p = torch.tensor(log_probability).exp().item()
        share = sum(text == [*tokens, END] for text in texts) / count
        assert abs(share - p) <= 4.5 * (p * (1 - p) / count) ** 0.5


def test_the_same_seed_draws_the_same_and_another_seed_another():
    model = Table.random(1, sentences=4)
    names = (0, 1, 2, 3)
    assert texts_of(model, names) == texts_of(model, names)
    assert texts_of(model, names) != texts_of(model, names, seed=2)


def test_temperature_zero_is_greedy_search():
    model = Table.random(5, sentences=6)
    settings = DecodingSettings(beam=1, max_length_ratio=1, max_length_extra=9, loop_guard=0)
    names = tuple(range(6))
    found = search(model, sources(*names), [1] * 6, settings, start=START, end=END, forbidden=[0])
    wanted = [[*one[0].tokens, *([END] if one[0].finished else [])] for one in found]
    assert texts_of(model, names, temperature=0.0, max_tokens=10) == wanted
    assert any(one[-1] == END for one in wanted)


def test_no_text_changes_when_another_ends():
    model = Table.random(2, sentences=8)
    odd_ends_at_once = Table(model.log_probs.clone())
    odd_ends_at_once.log_probs[1::2, ..., END] = 100.0
    all_texts, other = texts_of(model, range(8)), texts_of(odd_ends_at_once, range(8))
    assert other[1::2] == [[END]] * 4
    assert all_texts[1::2] != [[END]] * 4
    assert all_texts[::2] == other[::2]
    assert max(map(len, all_texts[::2])) > 2


def test_the_model_is_asked_only_for_texts_that_still_grow():
    table = torch.full((3, 4, 4, 4, 4), -50.0)
    table[..., 2] = 0.0
    table[0, ..., END] = 50.0
    table[1, 2:, ..., END] = 50.0
    model = Table(table)
    steps = [step.tolist() for step in steps_of(model, (0, 1, 2), max_tokens=4)]
    assert steps == [[END, 2, 2], [NOTHING, 2, 2], [NOTHING, END, 2], [NOTHING, NOTHING, 2]]
    assert model.asked == [3, 2, 2, 1]


def test_a_token_is_handed_out_before_the_next_is_asked_for():
    model = Table.random(1)
    steps = steps_of(model, min_tokens=5, max_tokens=5)
    assert model.asked == []
    next(steps)
    assert model.asked == [1]
    next(steps)
    assert model.asked == [1, 1]
    assert not torch.is_inference_mode_enabled()


def test_no_text_ends_before_the_shortest_length():
    model = Table.random(4, sentences=8)
    lengths = [len(text) for text in texts_of(model, range(8), min_tokens=6, max_tokens=30)]
    assert min(lengths) == 7  # END is the first token that may be the seventh
    assert min(len(text) for text in texts_of(model, range(8), max_tokens=30)) < 6


def test_a_text_ends_where_the_stop_function_says():
    model = Chain({START: {2: 1.0}, 2: {3: 1.0}, 3: {4: 1.0}, 4: {2: 1.0}}, vocabulary=5)
    seen = []

    def stop(row, tokens):
        seen.append((row, list(tokens)))
        return row == 0 and tokens[-2:] == [3, 4]

    texts = texts_of(model, (0, 0), max_tokens=4, temperature=0.0, stop=stop)
    assert texts == [[2, 3, 4], [2, 3, 4, 2]]
    assert seen[:3] == [(0, [2]), (1, [2]), (0, [2, 3])]


def test_the_repetition_penalty_counts_the_beginning_and_what_was_drawn():
    model = Chain({2: {3: 0.6, 4: 0.4}, 3: {3: 0.5, 4: 0.3, 2: 0.2}}, vocabulary=5)
    settings = SamplingSettings(temperature=0.0, repetition_penalty=5.0, max_tokens=2)

    def drawn(first):
        state = model.begin(sources(0))
        steps = sample(model, state, torch.tensor([first]), settings, chance(), end=END)
        return [step.item() for step in steps]

    assert drawn([0, 2]) == [3, 4]  # 3 has come already, and 2 was there before
    assert drawn([3, 2])[0] == 4
    assert drawn([0, 3])[0] == 4


def test_a_text_with_no_way_on_is_let_go():
    model = Chain({START: {2: 1.0}, 2: {3: 1.0}}, vocabulary=4)
    model.log_probs[..., 3, :] = -torch.inf
    steps = [s.tolist() for s in steps_of(model, (0, 0), min_tokens=1, max_tokens=9, top_k=1)]
    assert steps == [[2, 2], [3, 3], [NOTHING, NOTHING]]


def test_an_empty_batch_draws_nothing():
    assert list(steps_of(Table.random(1), ())) == []


def test_numbers_that_are_no_numbers_are_refused():
    with pytest.raises(DivergedError, match="NaN"):
        next(steps_of(Table(torch.full((1, 1, 4, 4, 4), torch.nan))))


def test_the_end_cannot_be_forbidden():
    with pytest.raises(ValueError, match="nothing would ever end"):
        next(steps_of(Table.random(1), forbidden=(END,)))


def test_lengths_out_of_order_are_refused():
    with pytest.raises(ValidationError, match="min_tokens 5 is more than max_tokens 4"):
        SamplingSettings(min_tokens=5, max_tokens=4)


def test_a_network_is_sampled_like_a_table():
    torch.manual_seed(1)
    small = DecoderOnlySettings(width=8, heads=2, ffn_width=8, layers=1)
    model = DecoderOnly(small, 20, 20, prompt_end=19).eval()
    source = torch.tensor([[5, 6, 7, 3], [9, 3, 0, 0], [4, 4, 3, 0]])
    settings = SamplingSettings(temperature=0.0, max_tokens=6)
    first = torch.full((3, 1), 2)
    steps = sample(model, model.begin(source), first, settings, chance(), end=3, forbidden=(0, 2))
    drawn = torch.stack(list(steps), dim=1).tolist()
    decoding = DecodingSettings(beam=1, max_length_ratio=1e-9, max_length_extra=6, loop_guard=0)
    found = search(model, source, [1] * 3, decoding, start=2, end=3, forbidden=(0, 2))
    texts = [tuple(t for t in row if t not in (3, NOTHING)) for row in drawn]
    assert texts == [one[0].tokens for one in found]
