"""Training speed of a language model beside transformers' GPT-2, in one process.

    python benchmarks/language_speed.py

A decoder-only Transformer of width 256, inner 1024, 4 heads, 4 layers, norms before, learned
positions, GELU (the exact one, which has a kernel, on both sides: GPT-2's own `gelu_new` is written
out and slower), 8,000 tied entries, dropout 0.1 on embeddings and sub-layers and none on attention,
AdamW (fused), clipping, fp32, about 2,048 slots a batch in rows of 256. Two cases:

long    Every row is full with one document, and both sides train on the same batches.
short   Texts of about 30 tokens. Dragoman packs them into full rows and keeps them apart; the peer
        trains on the texts of the same batch, each in a row of its own that is padded to the
        longest, as its usual collator does. It takes part a second time with batches in which
        Dragoman's stream has put texts of one length together (its `group_by_length`).

Batches are made by Dragoman's stream for all, and their making is counted. Rounds alternate; speeds
are real tokens that are asked for, per CPU-second on one thread, medians over rounds. The same
memory settings hold for all unless `--plain-malloc` is given.
"""

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from side_by_side import Contestant, Step, alternate, report
from torch.nn import functional as F

from dragoman.config.batches import BatchSettings
from dragoman.config.decoder_only import DecoderOnlySettings
from dragoman.config.training import AdamW, ObjectiveSettings
from dragoman.data.batching.chunks import ChunkStream
from dragoman.data.batching.endless import Position
from dragoman.data.batching.text_batch import TextBatch, TextRow, make_text_batch
from dragoman.data.batching.text_store import TextStore, write_texts
from dragoman.data.tokenizer.special_tokens import END, PAD, START
from dragoman.engine.runtime import keep_freed_memory
from dragoman.neural.models.decoder_only import DecoderOnly
from dragoman.neural.optim.gradient_clipping import clip_gradients
from dragoman.neural.optim.optimizer import build_optimizer
from dragoman.tasks.language_model.objective import NextTokenObjective

VOCABULARY = 8000
WIDTH, INNER, HEADS, LAYERS = 256, 1024, 4, 4
LONGEST, SLOTS = 256, 2048


def ours(dropout: float) -> Step:
    """One optimizer step as Dragoman's loop takes it."""
    settings = DecoderOnlySettings(
        width=WIDTH,
        ffn_width=INNER,
        heads=HEADS,
        layers=LAYERS,
        positions="learned",
        max_positions=LONGEST,
        activation="gelu",
        initialization="normal",
        dropout=dropout,
    )
    model = DecoderOnly(settings, VOCABULARY, VOCABULARY, prompt_end=4, padding=PAD).train()
    task = NextTokenObjective(model, ObjectiveSettings(label_smoothing=0.0))
    optimizer = build_optimizer(model, AdamW())
    cpu = torch.device("cpu")

    def step(batch: TextBatch) -> None:
        loss = task.loss(batch, cpu)
        (loss.smoothed / task.denominator(batch)).backward()
        clip_gradients([*model.parameters()], 1.0, 0.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    return step


def gpt2(dropout: float) -> Step:
    """One optimizer step of a plain loop around transformers' GPT-2."""
    from transformers import GPT2Config, GPT2LMHeadModel

    config = GPT2Config(
        vocab_size=VOCABULARY,
        n_positions=LONGEST,
        n_embd=WIDTH,
        n_layer=LAYERS,
        n_head=HEADS,
        n_inner=INNER,
        activation_function="gelu",
        resid_pdrop=dropout,
        embd_pdrop=dropout,
        attn_pdrop=0.0,
        bos_token_id=START,
        eos_token_id=END,
        pad_token_id=PAD,
    )
    model = GPT2LMHeadModel(config).train()
    optimizer = torch.optim.AdamW(
        model.parameters(), lr=1e-3, betas=(0.9, 0.98), eps=1e-9, fused=True
    )

    def step(batch: TextBatch) -> None:
        real = torch.from_numpy(batch.documents).ne(0)
        out = model(
            input_ids=torch.from_numpy(batch.tokens),
            attention_mask=None if real.all() else real.long(),
            use_cache=False,
        )
        labels = torch.from_numpy(batch.labels)
        loss = F.cross_entropy(out.logits.flatten(0, 1), labels.flatten(), ignore_index=PAD)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    return step


def texts(folder: Path, name: str, lengths: NDArray[np.int64]) -> TextStore:
    """Make documents of these lengths, each a single line."""
    random = np.random.default_rng(7)

    def tokens(count: int) -> list[int]:
        return [int(i) for i in random.zipf(1.2, count) % (VOCABULARY - 300) + 300]

    return write_texts(
        folder, name, ([tokens(int(n))] for n in lengths), newline=299, vocab_size=VOCABULARY
    )


def stream(store: TextStore, *, packed: bool) -> Iterator[TextBatch]:
    """Yield the batches that Dragoman makes."""
    settings = BatchSettings(max_tokens=SLOTS, max_length=LONGEST)
    return (batch for batch, _ in ChunkStream(store, settings, 1, packed=packed).at(Position()))


def one_to_a_row(batch: TextBatch) -> TextBatch:
    """Give every text of a packed batch a row of its own, padded to the longest."""
    rows = []
    for tokens, labels, documents in zip(batch.tokens, batch.labels, batch.documents, strict=True):
        begins = np.flatnonzero(np.diff(documents)) + 1
        parts = (np.split(part, begins) for part in (tokens, labels, documents))
        rows += [TextRow(t, labels=y) for t, y, number in zip(*parts, strict=True) if number[0]]
    return make_text_batch(rows)


def asked(batch: TextBatch) -> int:
    """Count the tokens that a batch asks for."""
    return int(np.count_nonzero(batch.labels != PAD))


def multiplications(batch: TextBatch) -> float:
    """Count the floating-point operations of one step's matrix products, without attention's."""
    layer = 4 * WIDTH * WIDTH + 2 * WIDTH * INNER
    return 3 * 2 * asked(batch) * (LAYERS * layer + WIDTH * VOCABULARY)


def long_case(folder: Path, dropout: float) -> list[Contestant]:
    """Rows that are full with one document."""
    store = texts(folder, "long", np.full(300, 4 * LONGEST - 1))  # END fills the last chunk
    return [
        Contestant(name, step, stream(store, packed=True), asked, multiplications)
        for name, step in (("dragoman", ours(dropout)), ("transformers GPT-2", gpt2(dropout)))
    ]


def short_case(folder: Path, dropout: float) -> list[Contestant]:
    """Texts that are packed, or padded."""
    random = np.random.default_rng(8)
    lengths = np.clip(random.lognormal(3.2, 0.7, 20_000), 3, 200).astype(np.int64)
    store = texts(folder, "short", lengths)
    alone = (one_to_a_row(batch) for batch in stream(store, packed=True))
    entries = (
        ("dragoman, packed", ours(dropout), stream(store, packed=True)),
        ("transformers GPT-2, padded", gpt2(dropout), alone),
        ("transformers GPT-2, by length", gpt2(dropout), stream(store, packed=False)),
    )
    return [
        Contestant(name, step, batches, asked, multiplications) for name, step, batches in entries
    ]


def main() -> None:
    """Measure, and print one table for each case."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--batches", type=int, default=5, help="batches per round and side")
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--case", choices=("long", "short"), help="only one of the two")
    parser.add_argument("--plain-malloc", action="store_true")
    chosen = parser.parse_args()
    if not chosen.plain_malloc:
        keep_freed_memory()
    torch.set_num_threads(1)
    torch.manual_seed(1)
    print(
        f"torch {torch.__version__}, 1 thread, {chosen.rounds} rounds of {chosen.batches} batches, "
        f"dropout {chosen.dropout:g}"
    )
    cases = {"long": long_case, "short": short_case}
    for name in [chosen.case] if chosen.case else list(cases):
        with tempfile.TemporaryDirectory() as folder:
            contestants = cases[name](Path(folder), chosen.dropout)
            alternate(contestants, chosen.rounds, chosen.batches)
        print(f"\n{name}")
        report(contestants, "tokens")


if __name__ == "__main__":
    main()
