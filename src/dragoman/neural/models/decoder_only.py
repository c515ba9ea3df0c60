"""The decoder-only Transformer (Radford et al. 2018), translating: source and target are one text.

<START> source <EOP> target <END> ─ embed ─ causal layers ─ states ─ output ─▶ scores

The source's last token, its END, is left out, and the target's first, its START, is read as the
end of the prompt (EOP), a mark of its own. Each row is packed so that padding is only on the right:
what comes later is not seen, so attention needs no mask.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from dragoman.config.decoder_only import DecoderOnlySettings
from dragoman.core.errors import ConfigError
from dragoman.neural.layers.blocks import CausalLayer, Positions
from dragoman.neural.layers.kv_cache import KVCache, join_caches
from dragoman.neural.layers.packing_mask import past_in_document, places_in
from dragoman.neural.models.stack import (
    Parts,
    build_embedding,
    build_last_norm,
    initialize,
    run,
    set_epsilon,
)


@dataclass(frozen=True, slots=True)
class DecoderOnlyState:
    """The state of decoding: the KV cache of each layer, of source and target alike.

    Sources have different lengths, so each row has places of its own, and the padding between its
    source and its target is not seen. Reordering the past is put off to the next step.
    """

    cache: tuple[KVCache, ...]
    key_places: Int[Tensor, "_ n"]
    mask: Bool[Tensor, "_ n"]
    place: Int[Tensor, "_ 1"]
    """Where the next token of each row will stand."""
    started: bool = False
    """Whether the end of the prompt has been read."""
    rows: Tensor | None = None
    """The row of the past that each row goes on from, where that is not its own."""


class DecoderOnly(nn.Module):
    """One stack of causal layers, from token numbers to scores over the shared vocabulary."""

    def __init__(
        self,
        settings: DecoderOnlySettings,
        source_vocab_size: int,
        target_vocab_size: int,
        *,
        prompt_end: int,
        start: int = 2,
        padding: int = 0,
    ) -> None:
        super().__init__()
        if source_vocab_size != target_vocab_size:
            raise ConfigError(
                f"model.kind = 'decoder-only' needs one shared vocabulary, but the source has "
                f"{source_vocab_size} entries and the target {target_vocab_size}. "
                "Set tokenizer.shared = true."
            )
        self.settings = settings
        self.padding = padding
        self.start = start
        self.prompt_end = prompt_end
        self.checkpointing = False
        table = nn.Embedding(target_vocab_size, settings.width)
        self.embedding = build_embedding(settings, table)
        parts = Parts(settings, settings.heads, settings.ffn_width, causal=True)
        self.layers = nn.ModuleList(parts.causal_layer() for _ in range(settings.layers))
        self.last_norm = build_last_norm(settings)
        self.output = nn.Linear(settings.width, target_vocab_size, bias=settings.output_bias)
        if settings.norm_epsilon is not None:
            set_epsilon(self, settings.norm_epsilon)
        initialize(self, settings)
        if settings.tied:
            self.output.weight = table.weight

    def forward(
        self, source: Int[Tensor, "b s"], target: Int[Tensor, "b t"]
    ) -> Float[Tensor, "b t v"]:
        """Return scores of the token that follows each target position."""
        return self.output(self.states(source, target))

    def scored(
        self, source: Int[Tensor, "b s"], target: Int[Tensor, "b n"]
    ) -> tuple[Float[Tensor, "b t d"], Int[Tensor, "b t"]]:
        """Return the states that are asked for a token, and the right tokens.

        They are those of the target; in training with `loss_on = "both"`, all after the START of
        the source. Evaluation always asks for the target only, so that losses can be compared.
        """
        if self.training and self.settings.loss_on == "both":
            packed = self.pack(source, target)
            return self.read(packed[:, :-1]), packed[:, 1:]
        return self.states(source, target[:, :-1]), target[:, 1:]

    def states(
        self, source: Int[Tensor, "b s"], target: Int[Tensor, "b t"]
    ) -> Float[Tensor, "b t d"]:
        """Return the last states of the target, from which `output` makes scores."""
        states = self.read(self.pack(source, target))  # b s+t d
        places = self._lengths(source) + torch.arange(target.shape[1], device=source.device)
        return states.gather(1, places.unsqueeze(2).expand(-1, -1, states.shape[2]))

    def read(
        self, tokens: Int[Tensor, "b n"], documents: Int[Tensor, "b n"] | None = None
    ) -> Float[Tensor, "b n d"]:
        """Return the last states of plain tokens, each of which has seen only those before it.

        Where a row holds several documents, each is read as if it stood alone.
        """
        seen = () if documents is None else (past_in_document(documents),)
        x = self.embedding(tokens, None if documents is None else places_in(documents))
        for layer in self.layers:
            x = run(layer, x, *seen, again=self.checkpointing and self.training)
        return self.last_norm(x)

    def pack(self, source: Int[Tensor, "b s"], target: Int[Tensor, "b t"]) -> Int[Tensor, "b n"]:
        """Write START, source, EOP and target in one row, and all padding after them."""
        prompt = self._prompt(source)
        marked = target.clone()
        marked[:, :1] = self.prompt_end
        nothing = target.new_full((len(target), 1), self.padding)
        both = torch.cat((prompt, marked, nothing), dim=1)  # b s+t+1
        lengths, longest = self._lengths(source), both.shape[1] - 1
        place = torch.arange(longest, device=source.device).unsqueeze(0)
        gap = source.shape[1] - lengths  # what a row's source leaves empty
        return both.gather(1, torch.where(place < lengths, place, place + gap).clamp(max=longest))

    @torch.no_grad()
    def begin(self, source: Int[Tensor, "b s"]) -> DecoderOnlyState:
        """Read a source and make ready to write."""
        return self._state(self._prompt(source), self._lengths(source), started=False)

    @torch.no_grad()
    def go_on_from(
        self, prompt: Int[Tensor, "b n"], lengths: Int[Tensor, " b"]
    ) -> DecoderOnlyState:
        """Read plain tokens but for the last of each row, which the first step is to be given.

        Lengths say where a row ends, for its padding may be any entry.
        """
        return self._state(prompt[:, :-1], lengths.unsqueeze(1) - 1, started=True)

    def _state(
        self, tokens: Int[Tensor, "b n"], lengths: Int[Tensor, "b 1"], *, started: bool
    ) -> DecoderOnlyState:
        """Read the tokens of each row up to its length into a KV cache."""
        x = self.embedding(tokens)
        kept: list[KVCache] = []
        for layer in self._layers():
            x, cache = layer.read(x)
            kept.append(cache)
        place = torch.arange(tokens.shape[1], device=tokens.device).expand(tokens.shape)
        return DecoderOnlyState(tuple(kept), place, place < lengths, lengths, started)

    def room(self, source: Int[Tensor, "b s"]) -> Int[Tensor, " b"] | None:
        """Return how many steps may follow each source, which has taken positions of its own."""
        if self.settings.positions != "learned":
            return None
        return (self.settings.max_positions - self._lengths(source).squeeze(1)).clamp(min=1)

    @torch.no_grad()
    def step(
        self, tokens: Int[Tensor, " b"], state: DecoderOnlyState
    ) -> tuple[Float[Tensor, "b v"], DecoderOnlyState]:
        """Take one more target token; return log-probabilities of the next and the new state."""
        read = tokens if state.started else torch.full_like(tokens, self.prompt_end)
        x, after = self._further(read.unsqueeze(1), state)
        scores = self.output(self.last_norm(x).squeeze(1))  # b v
        return scores.log_softmax(dim=-1), after

    @torch.no_grad()
    def read_on(
        self, tokens: Int[Tensor, "b n"], state: DecoderOnlyState
    ) -> tuple[Float[Tensor, "b n d"], DecoderOnlyState]:
        """Read a further portion of each row, as long in all; return also its last states."""
        x, after = self._further(tokens, state)
        return self.last_norm(x), after

    def _further(
        self, tokens: Int[Tensor, "b n"], state: DecoderOnlyState
    ) -> tuple[Float[Tensor, "b n d"], DecoderOnlyState]:
        """Read on from a state; each position sees what came before it, and itself."""
        count = tokens.shape[1]
        on = torch.arange(count, device=tokens.device)
        places = state.place + on  # b n
        key_places = torch.cat((state.key_places, places), dim=1)
        mask = torch.cat((state.mask, torch.ones_like(places, dtype=torch.bool)), dim=1)
        seen = mask.unsqueeze(1)
        if count > 1:
            own = on >= on.unsqueeze(1) + 1  # what comes later
            later = nn.functional.pad(own, (state.mask.shape[1], 0))
            seen = seen & ~later
        x = self.embedding(tokens, places)
        extended: list[KVCache] = []
        for layer, cache in zip(self._layers(), state.cache, strict=True):
            x, kept = layer.step(x, cache, state.rows, Positions(places, key_places, seen))
            extended.append(kept)
        after = DecoderOnlyState(
            tuple(extended), key_places, mask, state.place + count, started=True
        )
        return x, after

    def reorder(self, state: DecoderOnlyState, rows: Int[Tensor, " m"]) -> DecoderOnlyState:
        """Select, repeat or drop rows of a state."""
        return replace(
            state,
            key_places=state.key_places[rows],
            mask=state.mask[rows],
            place=state.place[rows],
            rows=rows if state.rows is None else state.rows[rows],
        )

    def join(self, states: Sequence[DecoderOnlyState]) -> DecoderOnlyState:
        """Put the rows of states side by side, and leave out what no row sees.

        In each row what it sees comes first; a gap stands between that and what it will write.
        """
        if len({state.started for state in states}) != 1:
            raise ValueError("some of these states have read the end of their prompt, some not.")
        length = max(int(state.mask.sum(dim=1).max()) for state in states)
        columns = [_seen_first(state.mask, length) for state in states]
        caches = tuple(
            join_caches(
                [
                    state.cache[layer].gather(state.rows, chosen)
                    for state, chosen in zip(states, columns, strict=True)
                ],
                length,
            )
            for layer in range(len(states[0].cache))
        )
        picked = [
            (state.key_places.gather(1, chosen), state.mask.gather(1, chosen))
            for state, chosen in zip(states, columns, strict=True)
        ]
        filled = [[_filled_up(part, length) for part in parts] for parts in picked]
        return DecoderOnlyState(
            caches,
            torch.cat([places for places, _ in filled]),
            torch.cat([mask for _, mask in filled]),
            torch.cat([state.place for state in states]),
            states[0].started,
        )

    def _prompt(self, source: Int[Tensor, "b s"]) -> Int[Tensor, "b s"]:
        """Return START and the source without its END, but with its padding."""
        start = source.new_full((len(source), 1), self.start)
        return torch.cat((start, source[:, :-1]), dim=1)

    def _lengths(self, source: Int[Tensor, "b s"]) -> Int[Tensor, "b 1"]:
        return source.ne(self.padding).sum(dim=1, keepdim=True)

    def _layers(self) -> list[CausalLayer]:
        return [layer for layer in self.layers if isinstance(layer, CausalLayer)]


def _seen_first(mask: Bool[Tensor, "b n"], length: int) -> Int[Tensor, "b m"]:
    """Return the columns that each row sees, in order, and then others, up to a length."""
    return mask.to(torch.uint8).argsort(dim=1, descending=True, stable=True)[:, :length]


def _filled_up(part: Tensor, length: int) -> Tensor:
    """Add columns that nobody sees: nothing, and places that are none."""
    return nn.functional.pad(part, (0, length - part.shape[1]))
