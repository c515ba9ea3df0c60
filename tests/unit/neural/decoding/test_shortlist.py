"""Searching among a few of the target's entries."""

import torch

from dragoman.config.training import DecodingSettings
from dragoman.config.transformer import TransformerSettings
from dragoman.neural.adapt.fast_inference import narrow_output, quick
from dragoman.neural.decoding.search import search
from dragoman.neural.decoding.shortlist import Shortlist, ShortlistModel
from dragoman.neural.models.transformer import Transformer

WORDS = 60
SOURCE = torch.tensor([[5, 6, 7, 3], [8, 3, 0, 0]])


def test_the_entries_of_a_batch_are_those_of_its_words_of_all_and_of_those_asked_for():
    likely = torch.full((10, 2), -1)
    likely[5], likely[8] = torch.tensor([20, 21]), torch.tensor([22, -1])
    shortlist = Shortlist(likely, torch.tensor([30, 31]))
    assert shortlist.entries(SOURCE, also=(3, 21)).tolist() == [3, 20, 21, 22, 30, 31]


def test_a_search_among_all_entries_finds_what_a_search_without_a_list_finds():
    model = small()
    wanted = find(model, torch.arange(WORDS))
    plain = search(model, SOURCE, [4, 2], DecodingSettings(beam=3), start=2, end=3)
    assert [each[0].tokens for each in wanted] == [each[0].tokens for each in plain]


def test_a_search_among_a_few_writes_nothing_else():
    kept = torch.tensor([0, 1, 2, 3, 11, 13, 17])
    for model in (small(), quick(small(), "int8")):
        for (best,) in find(model, kept):
            assert {kept[token].item() for token in best.tokens} <= {11, 13, 17, 0, 1, 2}


def small():
    torch.manual_seed(3)
    settings = TransformerSettings(width=16, heads=2, ffn_width=16, encoder_layers=1)
    return Transformer(settings, WORDS, WORDS).eval()


def find(model, kept):
    start, end = (kept == 2).nonzero().item(), (kept == 3).nonzero().item()
    few = ShortlistModel(narrow_output(model, kept), kept)
    return search(few, SOURCE, [4, 2], DecodingSettings(beam=3), start=start, end=end)
