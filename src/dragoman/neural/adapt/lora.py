"""A difference of low rank beside a frozen matrix (Hu et al. 2021).

    h = W x + b + (alpha / rank) B A dropout(x)      A [rank, in]   B [out, rank]

A begins Kaiming-uniform with a = √5, which is how torch draws any new matrix, and B with zeros, so
that the network begins as what it was. W and b keep their names; A and B are `down.weight` and
`up.weight` below them. Each adapted matrix learns rank · (in + out) numbers.
"""

from collections.abc import Collection

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F

from dragoman.config.start import LoraStart, Matrix
from dragoman.core.errors import ConfigError
from dragoman.neural.adapt.parts import parameters_of, train_only
from dragoman.neural.layers.attention import Attention
from dragoman.neural.layers.dropout import Dropout
from dragoman.neural.layers.feed_forward import AnyFeedForward

IN_ATTENTION: dict[Matrix, str] = {name: name for name in ("query", "key", "value", "output")}
IN_FEED_FORWARD: dict[Matrix, str] = {"inner": "inner", "gate": "gate", "outer": "output"}
"""How the layers call the matrices."""


class LoraLinear(nn.Linear):
    """A linear layer with a difference of low rank: its own W and b, and A and B besides."""

    def __init__(self, base: nn.Linear, rank: int, scale: float, dropout: float = 0.0) -> None:
        sizes, like = (base.in_features, base.out_features), base.weight
        super().__init__(*sizes, bias=base.bias is not None, device="meta")  # draws nothing
        self.weight, self.bias = base.weight, base.bias
        self.scale = scale
        self.dropout = Dropout(dropout)
        self.down = nn.Linear(sizes[0], rank, bias=False, device=like.device, dtype=like.dtype)
        self.up = nn.Linear(rank, sizes[1], bias=False, device=like.device, dtype=like.dtype)
        nn.init.zeros_(self.up.weight)
        self.kept: Tensor | None = None
        """W itself, while the difference is merged into the weight."""
        self.train(base.training)

    @property
    def rank(self) -> int:
        """Rows of A."""
        return self.down.out_features

    def forward(self, x: Float[Tensor, "*n i"]) -> Float[Tensor, "*n o"]:
        """Return what W makes of x, and the difference."""
        straight = F.linear(x, self.weight, self.bias)
        if self.kept is not None:
            return straight
        return straight + self.up(self.down(self.dropout(x))) * self.scale

    @torch.no_grad()
    def difference(self) -> Float[Tensor, "o i"]:
        """Return (alpha / rank) B A."""
        return (self.up.weight @ self.down.weight) * self.scale

    @torch.no_grad()
    def merge(self) -> None:
        """Add the difference to the weight; one product is then as good as three."""
        if self.kept is None:
            self.kept = self.weight.detach().clone()
            self.weight.add_(self.difference())

    @torch.no_grad()
    def unmerge(self) -> None:
        """Bring W back, bit for bit."""
        if self.kept is not None:
            self.weight.copy_(self.kept)
            self.kept = None


def matrices(model: nn.Module, targets: Collection[Matrix]) -> dict[str, nn.Linear]:
    """Return the matrices of attention and feed-forward layers that targets mean, by name."""
    found: dict[str, nn.Linear] = {}
    for name, part in model.named_modules():
        if isinstance(part, Attention):
            named = IN_ATTENTION
        elif isinstance(part, AnyFeedForward):
            named = IN_FEED_FORWARD
        else:
            continue
        for target in (target for target in named if target in targets):
            matrix = getattr(part, named[target], None)
            if isinstance(matrix, nn.Linear):
                found[f"{name}.{named[target]}"] = matrix
    return found


def lora_matrices(model: nn.Module) -> dict[str, LoraLinear]:
    """Return the adapted matrices by name."""
    return {name: part for name, part in model.named_modules() if isinstance(part, LoraLinear)}


def apply_lora(model: nn.Module, settings: LoraStart, new: Collection[str] = ()) -> None:
    """Put A and B beside the targets; train them and what is new or named, and nothing else."""
    if lora_matrices(model):
        raise ConfigError("start.method = 'lora': this network has been adapted so already.")
    for target in settings.target_modules:
        if not matrices(model, (target,)):
            raise ConfigError(_nothing_there(model, target))
    for name, matrix in matrices(model, settings.target_modules).items():
        scale = settings.alpha / settings.rank
        put_in(model, name, LoraLinear(matrix, settings.rank, scale, settings.dropout))
    train_lora(model, [*settings.trainable, *new])


def train_lora(model: nn.Module, besides: Collection[str] = ()) -> None:
    """Train A and B of every adapted matrix, the parts named besides, and nothing else."""
    trained = parameters_of(model, besides)
    for adapted in lora_matrices(model).values():
        trained += [*adapted.down.parameters(), *adapted.up.parameters()]
    train_only(model, trained)


def merge(model: nn.Module) -> None:
    """Add every difference to its weight: the same scores, as fast as without adapters.

    Only for looking and translating; `unmerge` before training or storing, or `merge_for_good`.
    """
    for adapted in lora_matrices(model).values():
        adapted.merge()


def unmerge(model: nn.Module) -> None:
    """Bring the weights back that were there before `merge`, bit for bit."""
    for adapted in lora_matrices(model).values():
        adapted.unmerge()


def merge_for_good(model: nn.Module) -> None:
    """Make plain matrices of the adapted ones: a network like the one that was adapted."""
    for name, adapted in lora_matrices(model).items():
        adapted.merge()
        plain = nn.Linear(
            adapted.in_features, adapted.out_features, bias=adapted.bias is not None, device="meta"
        )
        plain.weight, plain.bias = adapted.weight, adapted.bias
        put_in(model, name, plain.train(adapted.training))


def put_in(model: nn.Module, name: str, part: nn.Module) -> None:
    """Put a part in the place of the one that has this name."""
    owner, _, last = name.rpartition(".")
    setattr(model.get_submodule(owner), last, part)


def _nothing_there(model: nn.Module, target: Matrix) -> str:
    every: tuple[Matrix, ...] = (*IN_ATTENTION, *IN_FEED_FORWARD)
    there = [name for name in every if matrices(model, (name,))]
    if not there:
        return (
            "start.method = 'lora' is for the matrices of Transformer layers, and this network has "
            "none. Use 'full' or 'frozen'."
        )
    return (
        f"start.target_modules: no layer of this network has a matrix {target!r}. "
        f"There are: {', '.join(there)}."
    )
