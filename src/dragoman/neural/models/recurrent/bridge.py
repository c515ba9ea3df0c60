"""From the states of the encoder to the first states of the decoder."""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from dragoman.config.cells import LstmCell
from dragoman.config.recurrent import RecurrentSettings
from dragoman.neural.layers.recurrent.state import RecurrentState


class Bridge(nn.Module):
    """h = tanh(W x + b) for every layer and, where a cell has a memory, c = W x + b."""

    def __init__(self, settings: RecurrentSettings, input_width: int) -> None:
        super().__init__()
        self.parts = 2 if isinstance(settings.cell, LstmCell) else 1
        self.maps = nn.ModuleList(
            nn.Linear(input_width, settings.width)
            for _ in range(self.parts * settings.decoder_layers)
        )

    def forward(self, first: tuple[Float[Tensor, "l b e"], ...]) -> RecurrentState:
        """Return the first states, given for each part what each layer begins from."""
        mapped = [
            linear(x) for linear, x in zip(self.maps, torch.cat(first).unbind(0), strict=True)
        ]
        layers = len(mapped) // self.parts
        h = torch.stack(mapped[:layers]).tanh()
        return RecurrentState((h, torch.stack(mapped[layers:])) if self.parts == 2 else (h,))


class LayerByLayer(nn.Module):
    """Begin each decoder layer where its encoder layer ended, the top one where the top one did.

    Two directions are joined by a learned bridge; one direction is passed on as it is. Where the
    encoder has fewer layers, its lowest one serves several.
    """

    def __init__(self, settings: RecurrentSettings) -> None:
        super().__init__()
        gap = settings.encoder_layers - settings.decoder_layers
        self.picked = [max(0, gap + layer) for layer in range(settings.decoder_layers)]
        both = settings.bidirectional
        self.bridge = Bridge(settings, 2 * settings.width) if both else None

    def forward(self, last: RecurrentState) -> RecurrentState:
        """Return the decoder's first states."""
        if self.bridge is None:
            return RecurrentState(tuple(part[self.picked] for part in last.parts))
        return self.bridge(
            tuple(
                torch.stack([torch.cat((part[2 * n], part[2 * n + 1]), dim=1) for n in self.picked])
                for part in last.parts
            )
        )
