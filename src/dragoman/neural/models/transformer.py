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
from dragoman.neural.layers.blocks import Company, DecoderLayer, Source, VisiblePast
from dragoman.neural.layers.embedding import embedding_tables
from dragoman.neural.layers.feed_forward import AnyFeedForward
from dragoman.neural.layers.kv_cache import Past
from dragoman.neural.layers.watchable import watching
from dragoman.neural.models.stack import Parts, build_embedding, build_last_norm, initialise, run

KNOWN, PASSED_ON, QUIET = 0.99, 0.7, 0.5
"""How strongly a network begins with a dictionary: see docs/concepts/sweeps.md."""


@dataclass(frozen=True, slots=True)
class TransformerState:
    """What decoding has seen so far: per layer, the source and the past as keys and values.

    Rows that read the same source stand side by side and share it. Reordering the past is put off
    to the next step, which has to copy it anyway.
    """

    source: tuple[Source, ...]
    mask: Tensor | None
    """Which source positions may be looked at; None where there is no padding."""
    beside: int = 1
    """Rows that share each source."""
    past: tuple[Past, ...] | None = None
    rows: Tensor | None = None
    """The row of the past that each row goes on from, where that is not its own."""
    position: int = 0
    watched: bool = False
    """Whether steps keep where they looked; nothing is computed for it otherwise."""
    looked: Float[Tensor, "_ s"] | None = None
    """How much the last step looked at each source position, where it was watched."""
    others: tuple["TransformerState", ...] = ()
    """What joined later: its rows stand below these, and its sources and pasts are its own,
    so that a short past is never as wide as a long one."""

    @property
    def count(self) -> int:
        """Rows, but for those of the others."""
        return len(self.source[0][0]) * self.beside

    def company(self, layer: int, seen: VisiblePast) -> Company:
        """Return what the rows, but for those of the others, look at in a layer."""
        past = None if self.past is None else self.past[layer]
        return Company(self.count, past, self.rows, self.source[layer], self.mask, seen)


class Transformer(nn.Module):
    """An encoder and a decoder, from token numbers to scores over the target vocabulary."""

    def __init__(
        self,
        settings: TransformerSettings,
        source_vocabulary: int,
        target_vocabulary: int,
        *,
        padding: int = 0,
    ) -> None:
        super().__init__()
        self.settings = settings
        self.padding = padding
        self.checkpointing = False
        width, shared = settings.width, settings.tied == "all"
        source_table, target_table = embedding_tables(
            source_vocabulary, target_vocabulary, width, shared=shared
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
        self.output = nn.Linear(width, target_vocabulary, bias=settings.output_bias)
        initialise(self, settings)
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
        """Read a source; return its states and which of them may be looked at."""
        mask = source.ne(self.padding).unsqueeze(1)  # b 1 s
        return self._read(source, mask), mask

    @torch.no_grad()
    def begin(self, source: Int[Tensor, "b s"]) -> TransformerState:
        """Read a source and make ready to write."""
        mask = source.ne(self.padding).unsqueeze(1)  # b 1 s
        seen = None if mask.all() else mask
        memory = self._read(source, seen)
        offered = tuple(layer.source_attention.offer(memory) for layer in self._decoder())
        return TransformerState(source=offered, mask=seen)

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
        if state.watched:
            return self._step_watched(tokens, state)
        together, seen = (state, *state.others), []
        for one in together:
            seen.append(VisiblePast(places=torch.full((1, 1), one.position, device=tokens.device)))
        x = self.target_embedding(tokens.unsqueeze(1), _places(together, seen))  # b 1 d
        grown: list[list[Past]] = []
        for number, layer in enumerate(self._decoder()):
            companies = [one.company(number, own) for one, own in zip(together, seen, strict=True)]
            x, kept = layer.step_beside(x, companies)
            grown.append(kept)
        scores = self.output(self.decoder_norm(x).squeeze(1))  # b v
        first, *others = (
            replace(one, past=past, rows=None, position=one.position + 1, others=())
            for one, past in zip(together, zip(*grown, strict=True), strict=True)
        )
        return scores.log_softmax(dim=-1), replace(first, others=tuple(others))

    def watched(self, state: TransformerState) -> TransformerState:
        """Return a state whose steps keep where they looked: the last layer, mean of its heads."""
        return replace(state, watched=True)

    def looked(self, state: TransformerState) -> Float[Tensor, "n s"]:
        """Return how much the last step looked at each source position; padding has 1."""
        if state.looked is None:
            raise ValueError("this state has not looked at a source yet, or was not watched.")
        return state.looked

    def reorder(self, state: TransformerState, rows: Int[Tensor, " m"]) -> TransformerState:
        """Select, repeat or drop rows of a state; what joined later stays below."""
        if state.others:
            return _reorder_each(self, state, rows)
        past_rows = rows if state.rows is None else state.rows[rows]
        owners = rows // state.beside
        before = torch.arange(state.count, device=rows.device) // state.beside
        if torch.equal(owners, before):
            return replace(state, rows=past_rows, looked=None)
        sources, shares = owners.unique_consecutive(return_counts=True)
        if len(shares.unique()) != 1:  # no rectangle: each row gets a source of its own
            sources, shares = owners, torch.ones_like(rows)
        beside = int(shares[0]) if len(shares) else 1
        after = replace(state, rows=past_rows, beside=beside, looked=None)
        if torch.equal(sources, torch.arange(len(state.source[0][0]), device=rows.device)):
            return after
        picked = tuple((k[sources], v[sources]) for k, v in state.source)
        mask = None if state.mask is None else state.mask[sources]
        return replace(after, source=picked, mask=mask)

    def join(self, states: Sequence[TransformerState]) -> TransformerState:
        """Let sources that were just begun be written beside others; their rows come last."""
        first, *new = states
        return replace(first, others=(*first.others, *new), looked=None)

    @torch.no_grad()
    def begin_with_dictionary(
        self, source: Float[Tensor, "u d"], target: Float[Tensor, "v d"]
    ) -> None:
        """Begin with vectors in which a word and its translation point the same way.

        What the decoder finds in the source must then only be passed on to the output, so its
        source attention begins near the identity; and every part speaks up less at first.
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

    def _step_watched(
        self, tokens: Int[Tensor, " b"], state: TransformerState
    ) -> tuple[Float[Tensor, "b v"], TransformerState]:
        looks: list[Tensor] = []
        with watching(self._decoder()[-1].source_attention, looks.append):
            log_probs, after = self.step(tokens, replace(state, watched=False))
        looked = looks[0].mean(1)  # m b/m s
        if state.mask is not None:
            looked = looked.masked_fill(~state.mask, 1.0)
        return log_probs, replace(after, watched=True, looked=looked.flatten(0, 1))

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
    together: Sequence[TransformerState], seen: Sequence[VisiblePast]
) -> Int[Tensor, "#b 1"] | None:
    """Return where the next token of each row stands."""
    if len(seen) == 1:
        return seen[0].places
    device = together[0].source[0][0].device
    positions = torch.tensor([[one.position] for one in together], device=device)
    return positions.repeat_interleave(torch.tensor([one.count for one in together]), dim=0)


def _reorder_each(
    model: Transformer, state: TransformerState, rows: Int[Tensor, " m"]
) -> TransformerState:
    """Select rows of each of the states that are written together; those without any are left."""
    together = (replace(state, others=()), *state.others)
    ends = torch.tensor([one.count for one in together], device=rows.device).cumsum(0)
    whose = torch.bucketize(rows, ends, right=True)
    if (whose.diff() < 0).any():
        raise ValueError("rows of what joined later must stay below the others.")
    counts = torch.bincount(whose, minlength=len(together)).tolist()
    begins = [0, *ends.tolist()]
    first, *others = (
        model.reorder(one, own - begin)
        for one, own, begin in zip(together, rows.split(counts), begins, strict=False)
        if len(own)
    )
    return replace(first, others=tuple(others))


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
