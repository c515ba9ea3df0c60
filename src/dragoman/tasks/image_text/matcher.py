"""A trained CLIP: images and texts in, how well they match out."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from dragoman.config.clip import ClipSettings
from dragoman.config.task import ImageTextTaskSettings
from dragoman.core.errors import DataError
from dragoman.data.batching.captions import CaptionReader
from dragoman.data.batching.pixels import Bytes, Pixels
from dragoman.data.formats.image_files import is_image_name, read_image
from dragoman.data.formats.labeled import in_one_line
from dragoman.data.tokenizer.tokenizer import Tokenizer
from dragoman.engine.build import build_clip
from dragoman.engine.checkpoint.load import load_run
from dragoman.neural.models.clip.model import Clip
from dragoman.tasks.common.pixels import as_read, stored_pixels

TOGETHER = 256
"""Images or texts that are looked at together."""


@dataclass(frozen=True)
class Match:
    """A candidate, and how well it matches what was asked for."""

    candidate: str
    likeness: float
    """The cosine of the two vectors: 1 is the same direction."""

    probability: float
    """The share of this candidate, where one of all candidates must be right."""


class Matcher:
    """A network with its vocabulary and what it knows of pixels, ready to be used."""

    def __init__(
        self,
        model: Clip,
        tokenizer: Tokenizer,
        pixels: Pixels,
        *,
        longest: int,
        device: torch.device,
    ) -> None:
        self.model, self.pixels, self.device = model, pixels, device
        self.reader = CaptionReader(tokenizer, room(model.settings, longest))

    @classmethod
    def load(cls, run: str | Path, *, device: str = "auto") -> "Matcher":
        """Load the network that a run folder holds."""
        loaded = load_run(run, device=device)
        recipe = loaded.recipe
        settings = recipe.model_for(ImageTextTaskSettings)
        tokenizer = loaded.tokenizer
        pixels = stored_pixels(loaded)
        model = loaded.network(
            lambda: build_clip(settings, pixels.channels, pixels.size, tokenizer, recipe.seed)
        )
        longest = recipe.batches.max_length
        return cls(model, tokenizer, pixels, longest=longest, device=loaded.device)

    def open(self, path: Path) -> Bytes:
        """Read an image as this network was shown its own."""
        pixels = self.pixels
        return read_image(path, size=pixels.size, channels=pixels.channels, fit=pixels.fit)

    def see(
        self, images: Bytes, after_batch: Callable[[int], None] | None = None
    ) -> Float[Tensor, "n v"]:
        """Return the vectors of images: n h w c."""
        found = []
        with torch.inference_mode():
            for begin in range(0, len(images), TOGETHER):
                some = np.asarray(images[begin : begin + TOGETHER])
                found.append(self.model.see(as_read(some, self.pixels, self.device)))
                if after_batch:
                    after_batch(len(some))
        return torch.cat(found)

    def see_files(self, paths: Sequence[Path]) -> Float[Tensor, "n v"]:
        """Return the vectors of image files, a few of which are open at a time."""
        parts = [paths[begin : begin + TOGETHER] for begin in range(0, len(paths), TOGETHER)]
        return torch.cat([self.see(np.stack([self.open(path) for path in part])) for part in parts])

    def read(self, texts: Sequence[str]) -> Float[Tensor, "n v"]:
        """Return the vectors of texts."""
        found = []
        with torch.inference_mode():
            for begin in range(0, len(texts), TOGETHER):
                lines = [in_one_line(text) for text in texts[begin : begin + TOGETHER]]
                tokens, _ = self.reader.rows(lines)
                found.append(self.model.read(torch.from_numpy(tokens).to(self.device)))
        return torch.cat(found)

    def rank(
        self, asked: Float[Tensor, " v"], candidates: Float[Tensor, "n v"], names: Sequence[str]
    ) -> list[Match]:
        """Return candidates by how well they match what is asked for, the best first."""
        likeness = (candidates @ asked).double()
        shares = (self.model.scale.detach().double() * likeness).softmax(dim=0)
        order = likeness.argsort(descending=True, stable=True).tolist()
        return [Match(names[i], likeness[i].item(), shares[i].item()) for i in order]

    def find_images(self, texts: Sequence[str], paths: Sequence[Path]) -> list[list[Match]]:
        """Rank image files for each text."""
        seen, names = self.see_files(paths), [str(path) for path in paths]
        return [self.rank(asked, seen, names) for asked in self.read(texts)]

    def find_texts(self, paths: Sequence[Path], texts: Sequence[str]) -> list[list[Match]]:
        """Rank texts for each image file; with a text for each class this is zero-shot sorting."""
        read = self.read(texts)
        return [self.rank(asked, read, texts) for asked in self.see_files(paths)]


def room(settings: ClipSettings, longest: int) -> int:
    """Return how many tokens of a text can be read, the marks around it included."""
    learned = settings.text.positions == "learned"
    return min(longest, settings.text.max_positions) if learned else longest


def image_files(paths: Sequence[Path]) -> list[Path]:
    """Return the images that are named, and those inside the folders that are named."""
    found: list[Path] = []
    for path in paths:
        if not path.is_dir():
            found.append(path)
            continue
        inside = sorted(p for p in path.rglob("*") if p.is_file() and is_image_name(p))
        if not inside:
            raise DataError(f"{path}: this folder holds no pictures.")
        found += inside
    return found
