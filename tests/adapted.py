"""Tiny networks to be adapted, a batch that all of them can read, and a few steps of training."""

import torch
from torch.nn import functional as F

from dragoman.config.decoder_only import DecoderOnlySettings
from dragoman.config.encoder import EncoderSettings
from dragoman.config.recurrent import RecurrentSettings
from dragoman.config.transformer import TransformerSettings
from dragoman.neural.models.decoder_only import DecoderOnly
from dragoman.neural.models.encoder import Encoder
from dragoman.neural.models.recurrent.model import RecurrentTranslator
from dragoman.neural.models.transformer import Transformer

WORDS = 30
SMALL = {"width": 12, "heads": 2, "ffn_width": 16, "max_positions": 24, "dropout": 0.0}
MODERN = {
    "heads": 3,
    "key_value_heads": 1,
    "positions": "rotary",
    "activation": "swiglu",
    "normalization": "rms",
    "biases": False,
}
POSITIONS = {
    "sinusoidal": {},
    "learned": {"positions": "learned"},
    "rotary, shared keys": MODERN,
    "alibi": {"positions": "alibi"},
    "relative": {"positions": "relative", "max_relative_position": 3},
    "t5": {"positions": "t5", "buckets": 8, "max_bucket_distance": 6},
    "shaw": {"positions": "shaw", "max_relative_position": 3},
    "own widths": {"key_width": 4, "value_width": 5},
}


def transformer(**changes):
    torch.manual_seed(3)
    layers = {"encoder_layers": 2, "decoder_layers": 2}
    settings = TransformerSettings(**{**SMALL, **layers, **changes})
    return shaken(Transformer(settings, WORDS, WORDS))


def decoder_only(**changes):
    torch.manual_seed(3)
    settings = DecoderOnlySettings(**{**SMALL, "layers": 2, **changes})
    return shaken(DecoderOnly(settings, WORDS, WORDS, prompt_end=9))


def encoder(**changes):
    torch.manual_seed(3)
    shape = {**SMALL, "layers": 2, "pooler": True, "classes": 3, "segments": 2}
    return shaken(Encoder(EncoderSettings(**{**shape, **changes}), WORDS))


def recurrent(**changes):
    torch.manual_seed(3)
    settings = RecurrentSettings(**{"width": 12, "dropout": 0.0, **changes})
    return shaken(RecurrentTranslator(settings, WORDS, WORDS))


@torch.no_grad()
def shaken(model):
    """Move every weight a little, so that zeros and ones hide nothing; in evaluation."""
    for weight in model.parameters():
        weight.add_(torch.randn_like(weight), alpha=0.1)
    return model.eval()


def read():
    """Three padded sources that end with END."""
    tokens = torch.randint(10, WORDS, (3, 6), generator=torch.Generator().manual_seed(5))
    tokens[0, 5] = tokens[1, 3] = tokens[2, 1] = 3
    tokens[1, 4:] = tokens[2, 2:] = 0
    return tokens


def written():
    """Three padded targets that begin with START."""
    tokens = torch.randint(10, WORDS, (3, 5), generator=torch.Generator().manual_seed(6))
    tokens[:, 0] = 2
    tokens[1, 3:] = 0
    return tokens


def scores(model):
    """Return what a network of any family makes of the batch."""
    if isinstance(model, Encoder):
        return model.classify(read())
    return model(read(), written())


def loss(model):
    found = scores(model)
    if isinstance(model, Encoder):
        return F.cross_entropy(found, torch.tensor([0, 2, 1]))
    labels = written().roll(-1, 1)
    return F.cross_entropy(found.flatten(0, 1), labels.flatten(), ignore_index=0)


def train(model, steps=4, rate=0.01):
    """Take steps as the engine does, with weight decay; return the losses."""
    trained = [weight for weight in model.parameters() if weight.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=rate, weight_decay=0.1)
    losses = []
    model.train()
    for _ in range(steps):
        now = loss(model)
        now.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(now.item())
    model.eval()
    return losses


def copies(model):
    """Return all weights as they are now."""
    return {name: weight.detach().clone() for name, weight in model.named_parameters()}


def changed(before, model):
    """Return the names of the weights that are not what they were, to the last bit."""
    now = dict(model.named_parameters())
    return {name for name, weight in before.items() if not torch.equal(weight, now[name])}
