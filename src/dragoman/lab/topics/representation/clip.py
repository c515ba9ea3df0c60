"""Claims on CLIP: how an image is compared with texts."""

import math
from collections.abc import Callable, Sequence

import numpy as np
import torch
from pydantic import Field
from torch import Tensor

from dragoman.config.clip import ClipSettings, PatchTowerSettings, TextTowerSettings
from dragoman.config.settings import Settings
from dragoman.data.batching.pixels import Bytes
from dragoman.lab.claims import claim, measured
from dragoman.lab.evidence import Evidence, equal, same
from dragoman.neural.models.clip.model import Clip
from dragoman.neural.objectives.contrastive import contrastive, contrastive_written_out
from dragoman.plots.lab import HeatMap, Panel, curve
from dragoman.tasks.image_text.matcher import Matcher
from dragoman.tasks.image_text.zero_shot import classify_by_texts

END, WORDS, SIDE = 3, 31, 8
SINGLE = 1e-5
"""The embeddings are computed in single precision; scores over the scale agree to this."""


class ClipScoreSettings(Settings):
    """A small CLIP with random weights."""

    candidates: int = Field(default=5, ge=2, le=40)
    """Number of candidate texts, and of images."""
    scale: float = Field(default=100.0, ge=1.0, le=100.0)
    """Factor on the cosines (s)."""
    length: float = Field(default=7.0, ge=0.1, le=100.0)
    """Factor on the image tower's last matrix, which should not matter."""
    seed: int = Field(default=1, ge=0)
    """Seed of weights, images and texts."""


class DrawnMatcher(Matcher):
    """A matcher for random images and texts, which need no tokenizer."""

    def __init__(self, model: Clip, images: Tensor, tokens: Tensor) -> None:
        self.model, self.images, self.tokens = model, images, tokens

    def see(self, images: Bytes, after_batch: Callable[[int], None] | None = None) -> Tensor:
        """Return the vectors of the random images."""
        return self.model.see(self.images)

    def read(self, texts: Sequence[str]) -> Tensor:
        """Return the vectors of the random texts."""
        return self.model.read(self.tokens)


@claim(
    "A44",
    "CLIP normalizes the embeddings of an image and of each candidate text to unit length, "
    "multiplies their cosine similarities by a scale, and takes the softmax over the "
    "candidates. The lengths of the embeddings do not matter, and the scale sharpens the "
    "probabilities without changing their order.",
    r"p(j \mid i) = \mathrm{softmax}_j\left(s \cdot "
    r"\frac{v_i \cdot t_j}{\lVert v_i \rVert\, \lVert t_j \rVert}\right)",
)
def zero_shot(settings: ClipScoreSettings) -> Evidence:
    """Compare the product's probabilities with cosines and a softmax in NumPy."""
    model, images, tokens = _random_clip(settings)
    names = [f"text {number + 1}" for number in range(settings.candidates)]
    matcher = DrawnMatcher(model, images, tokens)
    with torch.no_grad():
        raw_images, raw_texts = model.image(images).double(), model.text(tokens).double()
        scores, seen = model(images, tokens), model.see(images)
        found = classify_by_texts(matcher, np.empty(0, np.uint8), names)
        ranked = matcher.rank(seen[0], model.read(tokens), names)
        model.image.output.weight.mul_(settings.length)
        stretched = model(images, tokens)
    cosines = _cosines(raw_images.numpy(), raw_texts.numpy())
    shares = _softmax(settings.scale * cosines)
    ours = torch.tensor([[one.probabilities[name] for name in names] for one in found],
                        dtype=torch.float64)  # fmt: skip
    best = [names[place] for place in cosines.argmax(axis=1)]
    scales = [float(2**power) for power in range(8)]
    one_way = contrastive(scores).nats
    return Evidence(
        stated=[
            same("scores over the scale against cosines by NumPy", scores / settings.scale,
                 torch.from_numpy(cosines), SINGLE),
            same("length of the image embeddings against 1",
                 seen.norm(dim=1), torch.ones(len(seen)), SINGLE),
            same("probabilities against a softmax by NumPy", ours, torch.from_numpy(shares),
                 SINGLE * settings.scale),
            equal("images whose best text differs from the largest cosine",
                  sum(one.label != name for one, name in zip(found, best, strict=True)), 0),
            equal("top-ranked candidate of the first image",
                  names.index(ranked[0].candidate), names.index(best[0])),
            same("scores when the image embeddings are scaled", stretched / settings.scale,
                 scores / settings.scale, SINGLE),
            same("contrastive loss with images and texts exchanged",
                 contrastive(scores.T).nats, one_way, SINGLE * settings.scale),
            same("contrastive loss against its equation", contrastive_written_out(scores), one_way,
                 SINGLE * settings.scale),
        ],
        numbers={"largest probability for the first image": float(shares[0].max())},
        plot=[
            HeatMap("Cosines of images and texts", cosines.tolist(), "text", "image"),
            Panel("Probabilities of the texts for the first image", [
                curve(name, scales, [float(_softmax(one * cosines[:1])[0, place])
                                     for one in scales], place)
                for place, name in enumerate(names[:6])
            ], "scale", doubling=True),
        ],
    )  # fmt: skip


def _random_clip(settings: ClipScoreSettings) -> tuple[Clip, Tensor, Tensor]:
    """Return a network with random weights, images and texts."""
    tower = PatchTowerSettings(patch=4, width=12, layers=1, heads=3, ffn_width=16)
    text = TextTowerSettings(
        width=12, heads=3, ffn_width=20, layers=1, max_positions=11, dropout=0.0
    )
    model = Clip(ClipSettings(image=tower, text=text, width=10), 3, SIDE, WORDS, end=END).eval()
    generator = torch.Generator().manual_seed(settings.seed)
    with torch.no_grad():
        for weight in model.parameters():
            weight.copy_(torch.randn(weight.shape, generator=generator) / 3)
        model.log_scale.fill_(math.log(settings.scale))
    images = torch.randn(settings.candidates, 3, SIDE, SIDE, generator=generator)
    tokens = torch.randint(5, WORDS, (settings.candidates, 7), generator=generator)
    tokens[:, 0], tokens[:, -1] = 2, END
    return model, images, tokens


def _cosines(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    lengths = np.linalg.norm(first, axis=1)[:, None] * np.linalg.norm(second, axis=1)
    return first @ second.T / lengths


def _softmax(scores: np.ndarray) -> np.ndarray:
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


captions_that_find = measured(
    "A43",
    "A short caption that names what can be seen finds its image; leaving out a detail that tells "
    "it from the others costs more than adding words that say nothing.",
    r"\hat{\imath} = \arg\max_i \cos(v_i, t)",
    experiment="captions",
)
