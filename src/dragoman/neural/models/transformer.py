"""The encoder-decoder Transformer (Vaswani et al. 2017).

source ─ embed ─ encoder layers ─▶ memory ──────────┐
target ─ embed ─ decoder layers (look at memory) ─ states ─ output ─▶ scores of the next token
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from dragoman.config.transformer import TransformerSettings
from dragoman.core.errors import ConfigError
from dragoman.neural.layers.attention import Attention
from dragoman.neural.layers.blocks import BatchRows, DecoderLayer, Positions, Source
from dragoman.neural.layers.embedding import embedding_tables
from dragoman.neural.layers.feed_forward import AnyFeedForward
from dragoman.neural.layers.kv_cache import KVCache
from dragoman.neural.layers.watchable import watching
from dragoman.neural.models.stack import Parts, build_embedding, build_last_norm, initialize, run

KNOWN, PASSED_ON, QUIET = 0.99, 0.7, 0.5
"""How strongly a network begins with a dictionary: see docs/concepts/sweeps.md."""


@dataclass(frozen=True, slots=True)
class TransformerState:
    """The state of decoding: per layer, keys and values of the source, and the KV cache.

    Rows that read the same source stand side by side and share it. Reordering the cache is put off
    to the next step, which has to copy it anyway.
    """

    source: tuple[Source, ...]
    mask: Tensor | None
    """The padding mask of the sources; None where there is no padding."""
    rows_per_source: int = 1
    """Rows that share each source."""
    cache: tuple[KVCache, ...] | None = None
    rows: Tensor | None = None
    """The cache row that each row continues, where that is not its own."""
    position: int = 0
    tracks_attention: bool = False
    """Whether steps keep their cross-attention weights; nothing is computed for it otherwise."""
    attention: Float[Tensor, "_ s"] | None = None
    """Cross-attention weights of the last step, where they are kept."""
    later_batches: tuple["TransformerState", ...] = ()
    """Batches that joined later, with sources and caches of their own: short ones stay short."""

    @property
    def count(self) -> int:
        """Rows, but for those of later batches."""
        return len(self.source[0][0]) * self.rows_per_source

    def batch_rows(self, layer: int, seen: Positions) -> BatchRows:
        """Return what the rows, but for those of later batches, attend to in a layer."""
        cache = None if self.cache is None else self.cache[layer]
        return BatchRows(self.count, cache, self.rows, self.source[layer], self.mask, seen)


class Transformer(nn.Module):
    """An encoder and a decoder, from token numbers to scores over the target vocabulary."""

    def __init__(
        self,
        settings: TransformerSettings,
        source_vocab_size: int,
        target_vocab_size: int,
        *,
        padding: int = 0,
    ) -> None:
        super().__init__()
        self.settings = settings
        self.padding = padding
        self.checkpointing = False
        width, shared = settings.width, settings.tied == "all"
        source_table, target_table = embedding_tables(
            source_vocab_size, target_vocab_size, width, shared=shared
        )
        self.source_embedding = build_embedding(settings, source_table)
        self.target_embedding = build_embedding(settings, target_table)
        encoder = Parts(settings, settings.heads, settings.ffn_width, causal=False)
        decoder = Parts(
            settings,
            settings.decoder_heads or settings.heads,
            settings.decoder_ffn_width or settings.ffn_width,
            causal=True,
        )
        self.encoder = nn.ModuleList(
            encoder.encoder_layer() for _ in range(settings.encoder_layers)
        )
        self.decoder = nn.ModuleList(
            decoder.decoder_layer() for _ in range(settings.decoder_layers)
        )
        self.encoder_norm = build_last_norm(settings)
        self.decoder_norm = build_last_norm(settings)
        self.output = nn.Linear(width, target_vocab_size, bias=settings.output_bias)
        initialize(self, settings)
        if settings.tied != "none":
            self.output.weight = target_table.weight

    def forward(
        self, source: Int[Tensor, "b s"], target: Int[Tensor, "b t"]
    ) -> Float[Tensor, "b t v"]:
        """Return scores of the token that follows each target position."""
        return self.output(self.states(source, target))

    def scored(
        self, source: Int[Tensor, "b s"], target: Int[Tensor, "b n"]
    ) -> tuple[Float[Tensor, "b t d"], Int[Tensor, "b t"]]:
        """Return the states that are asked for a token, and the right tokens: all of the target."""
        return self.states(source, target[:, :-1]), target[:, 1:]

    def states(
        self, source: Int[Tensor, "b s"], target: Int[Tensor, "b t"]
    ) -> Float[Tensor, "b t d"]:
        """Return the decoder's last states, from which `output` makes scores."""
        memory, mask = self.encode(source)
        x = self.target_embedding(target)
        for layer in self.decoder:
            x = self._run(layer, x, memory, mask)
        return self.decoder_norm(x)

    def encode(
        self, source: Int[Tensor, "b s"]
    ) -> tuple[Float[Tensor, "b s d"], Bool[Tensor, "b 1 s"]]:
        """Read a source; return its states and its padding mask."""
        mask = source.ne(self.padding).unsqueeze(1)  # b 1 s
        return self._read(source, mask), mask

    @torch.no_grad()
    def begin(self, source: Int[Tensor, "b s"]) -> TransformerState:
        """Read a source and make ready to write."""
        mask = source.ne(self.padding).unsqueeze(1)  # b 1 s
        seen = None if mask.all() else mask
        memory = self._read(source, seen)
        keys_values = tuple(
            layer.source_attention.project_keys_values(memory) for layer in self._decoder()
        )
        return TransformerState(source=keys_values, mask=seen)

    def room(self, source: Int[Tensor, "b s"]) -> Int[Tensor, " b"] | None:
        """Return how many steps may follow each source: as many as there are learned positions."""
        if self.settings.positions != "learned":
            return None
        return torch.full((len(source),), self.settings.max_positions)

    @torch.no_grad()
    def step(
        self, tokens: Int[Tensor, " b"], state: TransformerState
    ) -> tuple[Float[Tensor, "b v"], TransformerState]:
        """Take one more target token; return log-probabilities of the next and the new state."""
        if state.tracks_attention:
            return self._step_tracking_attention(tokens, state)
        together, seen = (state, *state.later_batches), []
        for one in together:
            seen.append(Positions(places=torch.full((1, 1), one.position, device=tokens.device)))
        x = self.target_embedding(tokens.unsqueeze(1), _places(together, seen))  # b 1 d
        extended: list[list[KVCache]] = []
        for number, layer in enumerate(self._decoder()):
            groups = [one.batch_rows(number, own) for one, own in zip(together, seen, strict=True)]
            x, kept = layer.step_groups(x, groups)
            extended.append(kept)
        scores = self.output(self.decoder_norm(x).squeeze(1))  # b v
        first, *later_batches = (
            replace(one, cache=cache, rows=None, position=one.position + 1, later_batches=())
            for one, cache in zip(together, zip(*extended, strict=True), strict=True)
        )
        return scores.log_softmax(dim=-1), replace(first, later_batches=tuple(later_batches))

    def track_attention(self, state: TransformerState) -> TransformerState:
        """Return a state whose steps keep cross-attention weights: last layer, mean of heads."""
        return replace(state, tracks_attention=True)

    def last_attention(self, state: TransformerState) -> Float[Tensor, "n s"]:
        """Return how much the last step attended to each source position; padding has 1."""
        if state.attention is None:
            raise ValueError(
                "this state has not attended to a source yet, or attention was not tracked."
            )
        return state.attention

    def reorder(self, state: TransformerState, rows: Int[Tensor, " m"]) -> TransformerState:
        """Select, repeat or drop rows of a state; batches that joined later stay last."""
        if state.later_batches:
            return _reorder_each(self, state, rows)
        cache_rows = rows if state.rows is None else state.rows[rows]
        owners = rows // state.rows_per_source
        before = torch.arange(state.count, device=rows.device) // state.rows_per_source
        if torch.equal(owners, before):
            return replace(state, rows=cache_rows, attention=None)
        sources, shares = owners.unique_consecutive(return_counts=True)
        if len(shares.unique()) != 1:  # no rectangle: each row gets a source of its own
            sources, shares = owners, torch.ones_like(rows)
        rows_per_source = int(shares[0]) if len(shares) else 1
        after = replace(state, rows=cache_rows, rows_per_source=rows_per_source, attention=None)
        if torch.equal(sources, torch.arange(len(state.source[0][0]), device=rows.device)):
            return after
        picked = tuple((k[sources], v[sources]) for k, v in state.source)
        mask = None if state.mask is None else state.mask[sources]
        return replace(after, source=picked, mask=mask)

    def join(self, states: Sequence[TransformerState]) -> TransformerState:
        """Append the rows of a state that was just begun; they come last."""
        first, *new = states
        return replace(first, later_batches=(*first.later_batches, *new), attention=None)

    @torch.no_grad()
    def begin_with_dictionary(
        self, source: Float[Tensor, "u d"], target: Float[Tensor, "v d"]
    ) -> None:
        """Begin with vectors in which a word and its translation point the same way.

        What the decoder finds in the source must then only be passed on to the output, so its
        cross-attention begins near the identity; and every part speaks up less at first.
        """
        table = self.target_embedding.table.weight
        if self.source_embedding.table is self.target_embedding.table:
            _lean_towards(table, F.normalize(source + target, dim=1))
        else:
            _lean_towards(self.source_embedding.table.weight, source)
            _lean_towards(table, target)
        if self.settings.tied == "none":
            self.output.weight.copy_(table)
        for layer in self._decoder():
            _pass_on(layer.source_attention)
        for part in self.modules():
            if isinstance(part, Attention | AnyFeedForward) and isinstance(part.output, nn.Linear):
                part.output.weight.mul_(QUIET)

    def _step_tracking_attention(
        self, tokens: Int[Tensor, " b"], state: TransformerState
    ) -> tuple[Float[Tensor, "b v"], TransformerState]:
        weights: list[Tensor] = []
        with watching(self._decoder()[-1].source_attention, weights.append):
            log_probs, after = self.step(tokens, replace(state, tracks_attention=False))
        attention = weights[0].mean(1)  # m b/m s
        if state.mask is not None:
            attention = attention.masked_fill(~state.mask, 1.0)
        return log_probs, replace(after, tracks_attention=True, attention=attention.flatten(0, 1))

    def _read(
        self, source: Int[Tensor, "b s"], mask: Bool[Tensor, "b 1 s"] | None
    ) -> Float[Tensor, "b s d"]:
        x = self.source_embedding(source)
        for layer in self.encoder:
            x = self._run(layer, x, mask)
        return self.encoder_norm(x)

    def _run(self, layer: nn.Module, *inputs: Tensor | None) -> Tensor:
        return run(layer, *inputs, again=self.checkpointing and self.training)

    def _decoder(self) -> list[DecoderLayer]:
        return [layer for layer in self.decoder if isinstance(layer, DecoderLayer)]


def _places(
    together: Sequence[TransformerState], seen: Sequence[Positions]
) -> Int[Tensor, "#b 1"] | None:
    """Return the position of each row's next token."""
    if len(seen) == 1:
        return seen[0].places
    device = together[0].source[0][0].device
    positions = torch.tensor([[one.position] for one in together], device=device)
    return positions.repeat_interleave(torch.tensor([one.count for one in together]), dim=0)


def _reorder_each(
    model: Transformer, state: TransformerState, rows: Int[Tensor, " m"]
) -> TransformerState:
    """Select rows of each of the batches that are written together; those left empty go."""
    together = (replace(state, later_batches=()), *state.later_batches)
    ends = torch.tensor([one.count for one in together], device=rows.device).cumsum(0)
    whose = torch.bucketize(rows, ends, right=True)
    if (whose.diff() < 0).any():
        raise ValueError("rows of batches that joined later must stay below the others.")
    counts = torch.bincount(whose, minlength=len(together)).tolist()
    begins = [0, *ends.tolist()]
    first, *later_batches = (
        model.reorder(one, own - begin)
        for one, own, begin in zip(together, rows.split(counts), begins, strict=False)
        if len(own)
    )
    return replace(first, later_batches=tuple(later_batches))


def _lean_towards(table: Float[Tensor, "v d"], known: Float[Tensor, "v d"]) -> None:
    """Replace nearly all of a table's random vectors, about 1 long, by the known ones."""
    share = KNOWN * known.norm(dim=1, keepdim=True)
    table.mul_((1 - share**2).sqrt()).add_(KNOWN * known)


def _pass_on(attention: Attention) -> None:
    """Bring what an attention makes of the values near the identity."""
    for matrix in (attention.value, attention.output):
        if not isinstance(matrix, nn.Linear) or matrix.in_features != matrix.out_features:
            raise ConfigError(
                "model.initialization = 'dictionary' needs heads whose values fill the width and "
                "are mixed by an output projection. Set model.initialization = 'xavier'."
            )
        identity = torch.eye(matrix.in_features, device=matrix.weight.device)
        matrix.weight.mul_(1 - PASSED_ON).add_(identity, alpha=PASSED_ON)
