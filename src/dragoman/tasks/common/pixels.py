"""Shared parts of image tasks: network input, and the examples that are counted."""

from typing import Generic, Protocol, TypeVar

import torch
from torch import Tensor, nn

from dragoman.config.settings import Settings
from dragoman.data.batching.pixels import Bytes, Pixels, normalize
from dragoman.engine.checkpoint.load import LoadedRun

Network = TypeVar("Network", bound=nn.Module)
LanguagePair = TypeVar("LanguagePair", bound=Settings)


class ImageBatchLike(Protocol):
    """A batch of images, whatever else is in it."""

    @property
    def images(self) -> Bytes:
        """The images: b h w c."""
        ...


def stored_pixels(loaded: LoadedRun) -> Pixels:
    """Return what the images were like that a run was trained on, from the notes of its weights."""
    return Pixels.from_json(loaded.weights.notes.get(PIXELS_NOTE, ""), str(loaded.folder.model))


def as_read(
    images: Bytes, pixels: Pixels, device: torch.device, *, channels_last: bool = True
) -> Tensor:
    """Return images as a network reads them: b h w c -> b c h w."""
    read = torch.from_numpy(normalize(images, pixels)).to(device)
    return read if channels_last else read.contiguous()


class ImageObjective(Generic[Network, LanguagePair]):
    """A network that is shown images, and the settings of what it is asked for."""

    def __init__(
        self, model: Network, settings: LanguagePair, pixels: Pixels, *, channels_last: bool = True
    ) -> None:
        self.model, self.settings, self.pixels = model, settings, pixels
        self.channels_last = channels_last
        self.progress = 0.0

    def denominator(self, batch: ImageBatchLike) -> int:
        """Return how many images a batch has, by which its loss is divided."""
        return len(batch.images)

    def targets(self, batch: ImageBatchLike) -> int:
        """Return what counts for the speed: the images."""
        return len(batch.images)

    def read(self, batch: ImageBatchLike, device: torch.device) -> Tensor:
        """Return the images of a batch as the network reads them: b c h w."""
        return as_read(batch.images, self.pixels, device, channels_last=self.channels_last)


PIXELS_NOTE = "pixels"
"""Where it stands beside the weights what the pixels were like."""
