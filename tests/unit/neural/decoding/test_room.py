"""A model with a table of learned positions can only write as far as the table goes."""

import pytest
import torch

from dragoman.config.decoder_only import DecoderOnlySettings
from dragoman.config.model import TransformerSettings
from dragoman.config.training import DecodingSettings
from dragoman.neural.decoding.ensemble import Ensemble
from dragoman.neural.decoding.search import search
from dragoman.neural.models.decoder_only import DecoderOnly
from dragoman.neural.models.transformer import Transformer

SMALL = {"width": 8, "heads": 2, "ffn_width": 8, "max_positions": 12, "positions": "learned"}
READ = torch.tensor([[5, 6, 7, 8, 3], [9, 3, 0, 0, 0]])
ROOM = {"transformer": [12, 12], "decoder-only": [7, 10]}


def chatterbox(kind):
    """Build a model that would go on for ever: it never believes in the end."""
    torch.manual_seed(1)
    if kind == "transformer":
        model = Transformer(TransformerSettings(**SMALL, tied="none", output_bias=True), 40, 40)
    else:
        settings = DecoderOnlySettings(**SMALL, tied=False, output_bias=True)
        model = DecoderOnly(settings, 40, 40, padding=0, start=2, prompt_end=20)
    with torch.no_grad():
        model.output.bias[3] = -100.0
    return model.eval()


@pytest.mark.parametrize("beam", [1, 2])
@pytest.mark.parametrize("kind", ROOM)
def test_a_search_ends_where_the_positions_end(kind, beam):
    settings = DecodingSettings(beam=beam, max_length_extra=30, loop_guard=0)
    found = search(chatterbox(kind), READ, [5, 2], settings, start=2, end=3, forbidden=(0, 2))
    assert [len(outputs[0].tokens) for outputs in found] == ROOM[kind]
    assert not any(outputs[0].finished for outputs in found)


def test_an_ensemble_has_the_room_of_its_narrowest_member():
    both = Ensemble([chatterbox("transformer"), chatterbox("decoder-only")])
    assert both.room(READ).tolist() == ROOM["decoder-only"]
    free = Transformer(TransformerSettings(width=8, heads=2, ffn_width=8), 40, 40)
    assert Ensemble([free]).room(READ) is None
