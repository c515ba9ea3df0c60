"""Closed forms of plain layers: linear layers and LoRA, embeddings, norms, activations.

linear       parameters i·o + o        FLOPs 2·n·i·o
LoRA         parameters r·(i + o)      FLOPs 2·n·r·(i + o)     beside the linear layer's own
embedding    parameters v·d            FLOPs none: rows are looked up
layer norm   parameters 2d             RMS norm d, batch norm 2c
"""

from dragoman.config.start import Matrix
from dragoman.planner.count.tape import FLOAT, INTEGER, Signal, Table, Tape

CHUNK_SCORES = 1 << 22
"""Scores that the loss projects at once (`neural.objectives.cross_entropy`)."""


def linear(
    tape: Tape,
    name: str,
    x: Signal,
    width: int,
    *,
    bias: bool = True,
    target: Matrix | None = None,
    kind: str = "linear",
) -> Signal:
    """Count Wx + b, with the difference of low rank where there is one."""
    before, rows = x.shape[-1], x.elements // x.shape[-1]
    with tape.part(name, kind):
        trained = tape.weight(before * width, "matrix", "weight")
        biased = tape.weight(width, "bias", "bias") if bias else False
        tape.product(2 * rows * before * width, x.slope, trained)
        slope = x.slope or trained or biased
        if trained:
            tape.keep(x)
        if rank := tape.lora_rank(target):
            _lora(tape, x, rank, width)
            slope = True
        return tape.signal(*x.shape[:-1], width, slope=slope)


def _lora(tape: Tape, x: Signal, rank: int, width: int) -> None:
    """Count B A x, both matrices trained."""
    before, rows = x.shape[-1], x.elements // x.shape[-1]
    dropout = tape.start.dropout if tape.start is not None and tape.start.method == "lora" else 0.0
    with tape.part("down", "LoRA"):
        tape.adapter_weight(rank * before)
        tape.product(2 * rows * before * rank, x.slope, True)
        tape.keep(tape.dropout(x, dropout))
        inner = tape.signal(*x.shape[:-1], rank, slope=True)
    with tape.part("up", "LoRA"):
        tape.adapter_weight(rank * width)
        tape.product(2 * rows * rank * width, True, True)
        tape.keep(inner)
        tape.signal(*x.shape[:-1], width, slope=True)


def embedding(
    tape: Tape, name: str, tokens: int, rows: int, width: int, *aliases: str
) -> tuple[Signal, Table]:
    """Count a table of vectors and look up so many tokens; aliases are its further names."""
    with tape.part(name, "embedding"):
        trained = tape.weight(rows * width, "embedding", "weight", *aliases)
        table = Table(rows, width, trained)
        return look_up(tape, tokens, table), table


def shared_embedding(tape: Tape, name: str, tokens: int, table: Table) -> Signal:
    """Look tokens up in a table that was counted before."""
    with tape.part(name, "embedding"):
        tape.note("shared")
        return look_up(tape, tokens, table)


def look_up(tape: Tape, tokens: int, table: Table) -> Signal:
    """Look up so many tokens in a table."""
    if table.trained:
        tape.keep_bytes(INTEGER * tokens)
    return tape.signal(tokens, table.width, slope=table.trained)


def output(
    tape: Tape, x: Signal, words: int, *, table: Table | None, bias: bool, rows: int | None = None
) -> Signal:
    """Count the projection to the vocabulary, tied to a table or not, and its cross entropy.

    It is asked for so many rows of states, or all. The loss makes both gradients at once, chunk by
    chunk, and keeps them; the scores themselves are not kept.
    """
    width = x.shape[-1]
    rows = x.elements // width if rows is None else rows
    with tape.part("output", "output"):
        if table is None:
            trained = tape.weight(words * width, "matrix", "weight")
        else:
            trained = table.trained
            tape.note("tied")
        biased = tape.weight(words, "bias", "bias") if bias else False
        tape.product(2 * rows * width * words, x.slope, trained)
        wide = width + bias
        tape.keep_bytes(FLOAT * (rows * wide if x.slope else 0))
        learned = FLOAT * words * wide if trained or biased else 0
        tape.keep_bytes(learned)
        chunk = FLOAT * min(rows * words, CHUNK_SCORES)
        tape.work_in(chunk + learned + FLOAT * (rows * width + (words * wide if bias else 0)))
        return tape.scores(rows, words, slope=x.slope or trained)


def norm(tape: Tape, name: str, x: Signal, kind: str = "layer") -> Signal:
    """Count a layer norm or an RMS norm."""
    with tape.part(name, f"{kind} norm"):
        width = x.shape[-1]
        trained = tape.weight(width, "norm", "weight")
        if kind == "layer":
            trained |= tape.weight(width, "norm", "bias")
        if x.slope or trained:
            tape.keep(x)
            tape.keep_bytes((2 if kind == "layer" else 1) * FLOAT * x.elements // width)
        return tape.signal(*x.shape, slope=x.slope or trained)


def bend(tape: Tape, x: Signal, kind: str) -> Signal:
    """Apply an activation: some keep what they read, some what they say."""
    y = tape.signal(*x.shape, slope=x.slope)
    if x.slope:
        if kind in ("relu", "tanh", "sigmoid"):
            tape.keep(y)
        elif kind == "quick-gelu":
            tape.keep(x, y)
            tape.keep_bytes(FLOAT * x.elements)
        else:
            tape.keep(x)
    return y


def added(tape: Tape, *parts: Signal) -> Signal:
    """Return the sum of signals, which keeps nothing."""
    return tape.signal(*parts[0].shape, slope=any(one.slope for one in parts))
