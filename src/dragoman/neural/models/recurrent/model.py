"""The recurrent encoder-decoder: what all of them share.

source ─ embed ─ encoder layers ─▶ memory ─────────┐
target ─ embed ─ decoder, of one kind or another ─ readout ─ output ─▶ scores of the next token
"""

import math
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import reduce
from typing import TypeVar, assert_never

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from dragoman.config.recurrent import RecurrentSettings
from dragoman.neural.layers.dropout import Dropout
from dragoman.neural.layers.embedding import TokenEmbedding, embedding_tables
from dragoman.neural.layers.positions import NoPositions
from dragoman.neural.layers.recurrent.stack import RecurrentStack
from dragoman.neural.models.recurrent.additive import AdditiveDecoder
from dragoman.neural.models.recurrent.decoder import Decoder, DecoderState, EncodedSource
from dragoman.neural.models.recurrent.every import EveryDecoder
from dragoman.neural.models.recurrent.feeding import FeedingDecoder
from dragoman.neural.models.recurrent.first import FirstDecoder
from dragoman.neural.models.recurrent.product import ProductDecoder

Result = TypeVar("Result")


class RecurrentTranslator(nn.Module):
    """A recurrent encoder and decoder, from token numbers to scores over the target vocabulary."""

    def __init__(
        self,
        settings: RecurrentSettings,
        source_vocab_size: int,
        target_vocab_size: int,
        *,
        padding: int = 0,
    ) -> None:
        super().__init__()
        self.settings = settings
        self.padding = padding
        self.checkpointing = False
        source_table, target_table = embedding_tables(
            source_vocab_size, target_vocab_size, settings.word_width, shared=settings.tied == "all"
        )
        self.source_embedding = self._embedding(source_table)
        self.target_embedding = self._embedding(target_table)
        self.encoder = RecurrentStack(
            settings.cell,
            settings.word_width,
            settings.width,
            settings.encoder_layers,
            bidirectional=settings.bidirectional,
            residual=settings.residual,
            dropout=settings.dropout,
        )
        self.decoder = build_decoder(settings)
        self.dropout = Dropout(settings.dropout)
        self.output = nn.Linear(settings.output_width, target_vocab_size, bias=False)
        initialize(self)
        if settings.tied != "none":
            self.output.weight = target_table.weight

    def forward(
        self, source: Int[Tensor, "b s"], target: Int[Tensor, "b t"]
    ) -> Float[Tensor, "b t v"]:
        """Return scores of the token that follows each target position."""
        return self.output(self.states(source, target))

    def scored(
        self, source: Int[Tensor, "b s"], target: Int[Tensor, "b n"], forced: float = 1.0
    ) -> tuple[Float[Tensor, "b t d"], Int[Tensor, "b t"]]:
        """Return the states that are asked for a token, and the right tokens: all of the target."""
        return self.states(source, target[:, :-1], forced), target[:, 1:]

    def states(
        self, source: Int[Tensor, "b s"], target: Int[Tensor, "b t"], forced: float = 1.0
    ) -> Float[Tensor, "b t d"]:
        """Return the decoder's readouts, from which `output` makes scores.

        Each position is told the right last token with the chance `forced`; otherwise it is told
        the one that the model itself holds likeliest.
        """
        write = self._write if forced >= 1.0 else self._write_on_its_own
        with whole_precision(source.device.type):
            memory = self._run(self.encode, source)
            return self._run(write, memory, target, forced)

    def encode(self, source: Int[Tensor, "b s"]) -> EncodedSource:
        """Read the sources, each to its own end."""
        mask = source.ne(self.padding)  # b s
        lengths = mask.sum(dim=1)
        if not self.settings.reverse_source:
            outputs, last = self.encoder(self.source_embedding(source), lengths)
            return EncodedSource(outputs, last, mask)
        order = backwards(lengths, source.shape[1])
        outputs, last = self.encoder(self.source_embedding(source.gather(1, order)), lengths)
        return EncodedSource(outputs.gather(1, order.unsqueeze(2).expand_as(outputs)), last, mask)

    @torch.no_grad()
    def begin(self, source: Int[Tensor, "b s"]) -> DecoderState:
        """Read a source and make ready to write."""
        return self.decoder.begin(self.encode(source))

    @torch.no_grad()
    def step(
        self, tokens: Int[Tensor, " n"], state: DecoderState
    ) -> tuple[Float[Tensor, "n v"], DecoderState]:
        """Take one more target token; return log-probabilities of the next and the new state."""
        said, state = self._say(tokens, state)
        return self.output(said).log_softmax(dim=-1), state

    def reorder(self, state: DecoderState, rows: Int[Tensor, " m"]) -> DecoderState:
        """Select, repeat or drop rows of a state."""
        return state.reorder(rows)

    def join(self, states: Sequence[DecoderState]) -> DecoderState:
        """Append the rows of a state that was just begun; they come last."""
        return reduce(DecoderState.append, states)

    def track_attention(self, state: DecoderState) -> DecoderState | None:
        """Return the state as it is: attention weights are kept anyway, where there are any."""
        return None if state.source is None else state

    def last_attention(self, state: DecoderState) -> Float[Tensor, "n s"]:
        """Return how much the last step attended to each source position; padding has 1."""
        if state.weights is None or state.source is None:
            raise ValueError("this state has not attended to a source yet.")
        padding = ~state.source.mask.repeat_interleave(state.rows_per_source, dim=0)
        return state.weights.masked_fill(padding, 1.0)

    def _write(
        self, memory: EncodedSource, target: Int[Tensor, "b t"], _: float
    ) -> Float[Tensor, "b t d"]:
        return self.dropout(self.decoder(self.target_embedding(target), memory))

    def _write_on_its_own(
        self, memory: EncodedSource, target: Int[Tensor, "b t"], forced: float
    ) -> Float[Tensor, "b t d"]:
        """Write step by step, since a word may depend on what was said before it.

        The model's own word is its likeliest, not a draw, and no gradient flows through the choice.
        """
        told = torch.rand(target.shape, device=target.device) < forced
        tokens, state = target[:, 0], self.decoder.begin(memory)
        all_said: list[Tensor] = []
        weights: list[Tensor | None] = []
        for position in range(target.shape[1]):
            if position:
                own = self.output(all_said[-1].detach()).argmax(dim=-1)
                tokens = torch.where(told[:, position], target[:, position], own)
            said, state = self._say(tokens, state)
            all_said.append(said)
            weights.append(state.weights)
        looked = [each for each in weights if each is not None]
        if looked:
            self.decoder.tell(torch.stack(looked, dim=1))
        return torch.stack(all_said, dim=1)

    def _say(
        self, tokens: Int[Tensor, " n"], state: DecoderState
    ) -> tuple[Float[Tensor, "n d"], DecoderState]:
        words = self.target_embedding(tokens.unsqueeze(1)).squeeze(1)
        said, state = self.decoder.step(words, state)
        return self.dropout(said), state

    def _run(self, part: Callable[..., Result], *inputs: object) -> Result:
        if self.checkpointing and self.training:
            return checkpoint(part, *inputs, use_reentrant=False)
        return part(*inputs)

    def _embedding(self, table: nn.Embedding) -> TokenEmbedding:
        chosen = self.settings
        return TokenEmbedding(
            table, NoPositions(), dropout=chosen.dropout, word_dropout=chosen.word_dropout
        )


def build_decoder(settings: RecurrentSettings) -> Decoder:
    """Build the decoder that knows of the source what the settings say."""
    match settings.context:
        case "first":
            return FirstDecoder(settings)
        case "every":
            return EveryDecoder(settings)
        case "additive":
            return AdditiveDecoder(settings)
        case "dot" | "general":
            return FeedingDecoder(settings) if settings.input_feeding else ProductDecoder(settings)
        case _:
            assert_never(settings.context)


def whole_precision(device: str) -> AbstractContextManager[None]:
    """Leave bfloat16 to others: rounded at every position, a state would drift."""
    if torch.amp.is_autocast_available(device):
        return torch.autocast(device, enabled=False)
    return nullcontext()


def backwards(lengths: Int[Tensor, " b"], count: int) -> Int[Tensor, "b s"]:
    """Return the order that turns each row around and leaves its padding where it is."""
    at = torch.arange(count, device=lengths.device).expand(len(lengths), count)
    ends = lengths.unsqueeze(1)
    return torch.where(at < ends, ends - 1 - at, at)


def initialize(model: nn.Module) -> None:
    """Draw the first weights of all but the cells, which have drawn their own; biases 0."""
    with torch.no_grad():
        for module in model.modules():
            if isinstance(module, nn.Linear):
                nn.init.xavier_uniform_(module.weight)
                if module.bias is not None:
                    module.bias.zero_()
            elif isinstance(module, nn.Embedding):
                module.weight.normal_(std=1 / math.sqrt(module.embedding_dim))
