"""Training speed beside transformers' Marian, in one process, with the same batches and recipe.

    python benchmarks/training_speed.py

Transformer of width 256, inner 1024, 4 heads, 3+3 layers, 8,000 shared tied entries, dropout 0.1,
label smoothing 0.1, AdamW (fused), clipping, about 2,048 slots a batch. Batches are made by
Dragoman's own stream for both sides, and their making is counted. Rounds alternate between the
two; speeds are real target tokens per CPU-second on one thread, medians over rounds. The same
memory settings hold for both unless `--plain-malloc` is given.
"""

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from side_by_side import Contestant, Step, alternate, report
from torch.nn import functional as F

from dragoman.config.batches import BatchSettings
from dragoman.config.model import TransformerSettings
from dragoman.config.training import AdamW, ObjectiveSettings
from dragoman.data.batching.batch import Batch
from dragoman.data.batching.store import TokenStore, write_store
from dragoman.data.batching.stream import BatchStream, Position
from dragoman.data.tokenizer.special_tokens import END, PAD, START
from dragoman.engine.runtime import keep_freed_memory
from dragoman.neural.models.transformer import Transformer
from dragoman.neural.optim.optimizer import build_optimizer
from dragoman.tasks.common.teacher_forcing import SequenceToSequenceObjective

VOCABULARY = 8000
WIDTH, INNER, HEADS, LAYERS = 256, 1024, 4, 3


def corpus(folder: Path, pairs: int = 20_000) -> TokenStore:
    """Make pairs with lengths like those of a corpus of sentences (mean about 22 tokens)."""
    random = np.random.default_rng(7)
    lengths = np.clip(random.lognormal(2.9, 0.55, pairs), 2, 120).astype(int)
    ratio = random.normal(1.05, 0.12, pairs)
    others = np.clip((lengths * ratio).astype(int), 2, 120)

    def tokens(count: int) -> list[int]:
        return [int(i) for i in random.zipf(1.2, count) % (VOCABULARY - 300) + 300]

    return write_store(
        folder, "train", ((tokens(s), tokens(t)) for s, t in zip(lengths, others, strict=True))
    )


def ours() -> Step:
    """One optimizer step as Dragoman's loop takes it."""
    settings = TransformerSettings(
        width=WIDTH, ffn_width=INNER, heads=HEADS, encoder_layers=LAYERS, decoder_layers=LAYERS
    )
    model = Transformer(settings, VOCABULARY, VOCABULARY, padding=PAD).train()
    task = SequenceToSequenceObjective(model, ObjectiveSettings(label_smoothing=0.1))
    optimizer = build_optimizer(model, AdamW())
    cpu = torch.device("cpu")

    def step(batch: Batch) -> None:
        loss = task.loss(batch, cpu)
        (loss.smoothed / batch.target_count).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    return step


def marian() -> Step:
    """One optimizer step of a plain loop around transformers' Marian."""
    from transformers import MarianConfig, MarianMTModel

    config = MarianConfig(
        vocab_size=VOCABULARY,
        d_model=WIDTH,
        encoder_layers=LAYERS,
        decoder_layers=LAYERS,
        encoder_attention_heads=HEADS,
        decoder_attention_heads=HEADS,
        encoder_ffn_dim=INNER,
        decoder_ffn_dim=INNER,
        dropout=0.1,
        attention_dropout=0.0,
        activation_dropout=0.0,
        activation_function="relu",
        scale_embedding=True,
        pad_token_id=PAD,
        bos_token_id=START,
        eos_token_id=END,
        decoder_start_token_id=START,
        forced_eos_token_id=None,
        max_position_embeddings=512,
    )
    model = MarianMTModel(config).train()
    optimizer = torch.optim.AdamW(
        model.parameters(), lr=1e-3, betas=(0.9, 0.98), eps=1e-9, fused=True
    )

    def step(batch: Batch) -> None:
        source, target = torch.from_numpy(batch.source), torch.from_numpy(batch.target)
        out = model(
            input_ids=source,
            attention_mask=source.ne(PAD).long(),
            decoder_input_ids=target[:, :-1],
            use_cache=False,
        )
        loss = F.cross_entropy(
            out.logits.flatten(0, 1),
            target[:, 1:].flatten(),
            ignore_index=PAD,
            label_smoothing=0.1,
        )
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    return step


def batches(store: TokenStore) -> Iterator[Batch]:
    """Yield the batches of Dragoman's stream."""
    for batch, _ in BatchStream(store, BatchSettings(max_tokens=2048), 1).at(Position()):
        yield batch


def multiplications(batch: Batch) -> float:
    """Count the floating-point operations of one step's matrix products, real tokens only."""
    s = int((batch.source != PAD).sum())
    t = batch.target_count
    attention, inner = 4 * WIDTH * WIDTH, 2 * WIDTH * INNER
    encoder = LAYERS * s * (attention + inner)
    decoder = LAYERS * (t * (attention + inner + 2 * WIDTH * WIDTH) + s * 2 * WIDTH * WIDTH)
    return 3 * 2 * (encoder + decoder + t * WIDTH * VOCABULARY)


def main() -> None:
    """Measure, and print one table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--batches", type=int, default=5, help="batches per round and side")
    parser.add_argument("--plain-malloc", action="store_true")
    asked = parser.parse_args()
    if not asked.plain_malloc:
        keep_freed_memory()
    torch.set_num_threads(1)
    torch.manual_seed(1)
    with tempfile.TemporaryDirectory() as folder:
        store = corpus(Path(folder))
        contestants = [
            Contestant(
                name, step, batches(store), lambda batch: batch.target_count, multiplications
            )
            for name, step in (("dragoman", ours()), ("transformers Marian", marian()))
        ]
        alternate(contestants, asked.rounds, asked.batches)
    print(f"torch {torch.__version__}, 1 thread, {asked.rounds} rounds of {asked.batches} batches")
    report(contestants, "target tokens")


if __name__ == "__main__":
    main()
