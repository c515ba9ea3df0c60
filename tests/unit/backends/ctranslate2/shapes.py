"""Small networks of every kind that CTranslate2 can hold, written and opened there."""

import random

import torch
from tests.oracles import scramble

from dragoman.backends.ctranslate2.engine import Ctranslate2Engine
from dragoman.backends.ctranslate2.library import ctranslate2
from dragoman.backends.ctranslate2.spec import spec_of
from dragoman.config.training import DecodingSettings
from dragoman.config.transformer import TransformerSettings
from dragoman.data.tokenizer.pair import TokenizerPair
from dragoman.data.tokenizer.special_tokens import FIRST_PIECE, START
from dragoman.data.tokenizer.words import WordTokenizer
from dragoman.neural.models.transformer import Transformer

ROOM = 128
WORDS = 25
CPU = torch.device("cpu")
SMALL = {"width": 16, "heads": 4, "encoder_layers": 2, "decoder_layers": 2, "ffn_width": 24}


def tokenizer(source=WORDS, target=WORDS):
    sides = [WordTokenizer([f"w{n}" for n in range(count)]) for count in (source, target)]
    return TokenizerPair(sides[0], sides[0] if source == target else sides[1])


def network(words, **changes):
    torch.manual_seed(1)
    settings = TransformerSettings(**{**SMALL, "dropout": 0.0, **changes})
    model = Transformer(settings, words.source.size, words.target.size).eval()
    scramble(model)
    return model


def written(model, words, folder, quantization="float32"):
    spec = spec_of(model, ROOM)
    spec.register_source_vocabulary(words.source.pieces)
    spec.register_target_vocabulary(words.target.pieces)
    spec.validate()
    spec.optimize(quantization=quantization)
    folder.mkdir()
    spec.save(str(folder))
    return folder


def opened(folder):
    return ctranslate2().Translator(str(folder), device="cpu", inter_threads=1, intra_threads=1)


def engine(model, words, folder, quantization="float32"):
    return Ctranslate2Engine(written(model, words, folder, quantization), words, ROOM, CPU)


def draw(count, vocabulary, seed, longest=20):
    chance = random.Random(seed)
    return [
        [chance.randrange(FIRST_PIECE, vocabulary) for _ in range(chance.randint(1, longest))]
        for _ in range(count)
    ]


def log_probabilities(model, source, target, end):
    """What our network gives each token of a target, END included."""
    scores = model(torch.tensor([[*source, end]]), torch.tensor([[START, *target]]))[0]
    found = scores.log_softmax(dim=-1)
    return [found[place, token].item() for place, token in enumerate((*target, end))]


def decoding(**changes):
    return DecodingSettings(**{"beam": 3, "loop_guard": 0, **changes})
