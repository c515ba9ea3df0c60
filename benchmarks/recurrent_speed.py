"""Recurrent training speed beside OpenNMT-py and JoeyNMT, in one run, with the same batches.

    python benchmarks/recurrent_speed.py --opennmt OPENNMT/bin/python --joey JOEY/bin/python

An encoder of one LSTM layer that reads both ways and a decoder of one LSTM layer, W wide like the
embeddings, 8,000 shared tied entries, dropout 0.1, label smoothing 0.1, Adam, clipping, about 2,048
slots a batch; each with additive attention (Bahdanau et al. 2015) and with a general product that
is fed back (Luong et al. 2015). What differs:

Dragoman    additive: the context enters the next step. Its encoder is W wide for each direction.
OpenNMT-py  what was answered is fed back with both kinds of attention. It gives each direction of
            the encoder half of the width, so at equal W its encoder and what attention looks at are
            half as wide as ours: a smaller model. It therefore takes part a second time, at 5/4 W,
            where it has about as many parameters as Dragoman.
JoeyNMT     fed back with both kinds; its encoder is W wide for each direction, as ours. Its loss is
            a divergence, smaller than a cross entropy by the 1.22 nats of the smoothed labels.

The peers run with their own model, batch, loss and optimizer classes, in the order of their own
trainers. Each contestant is a process of its own on one thread that keeps its model; it is handed
the files of the same batches, made beforehand by Dragoman's stream. Rounds alternate between all of
them. Speeds are real target tokens per CPU-second, reading the files included, medians over rounds;
ratios are taken round by round. All have Dragoman's memory settings and batches. With
`--as-shipped` the peers have the system's memory settings, and JoeyNMT the batches that its own
sampler would gather: pairs as they come, with no regard to their length, until the slots are full.

The peers' virtual environments (OpenNMT-py asks for a torch below 2.3, but runs with this one):

    python3.11 -m venv JOEY
    JOEY/bin/pip install torch==2.13.0 joeynmt==2.3.0 importlib_metadata
    python3.11 -m venv OPENNMT
    OPENNMT/bin/pip install torch==2.13.0 configargparse tensorboard flask waitress pyonmttok \\
        pyyaml sacrebleu rapidfuzz pyahocorasick fasttext spacy six
    OPENNMT/bin/pip install --no-deps OpenNMT-py==3.5.1
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from side_by_side import middle_and_range
from training_speed import VOCABULARY, corpus

from dragoman.config.batches import BatchSettings
from dragoman.data.batching.batch import Batch, make_batch
from dragoman.data.batching.store import TokenStore
from dragoman.data.batching.stream import BatchStream, Position

SLOTS = 2048


@dataclass
class Contestant:
    """A process that trains one model, and what it has shown."""

    name: str
    attention: str
    files: list[Path]
    process: subprocess.Popen[str]
    about: dict[str, Any] = field(default_factory=dict)
    rounds: list[dict[str, float]] = field(default_factory=list)

    @property
    def speeds(self) -> list[float]:
        """Target tokens per CPU-second, round by round."""
        return [each["tokens"] / each["seconds"] for each in self.rounds]

    def train(self, first: int, count: int) -> dict[str, Any]:
        """Let it train on some of its batches."""
        files = self.files[first : first + count]
        if self.process.stdin is None:
            raise RuntimeError(f"{self.name} has nothing to be asked through")
        self.process.stdin.write(json.dumps([str(file) for file in files]) + "\n")
        self.process.stdin.flush()
        return self.answer()

    def answer(self) -> dict[str, Any]:
        """Wait for what it says next."""
        line = "" if self.process.stdout is None else self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self.name} ({self.attention}) stopped: see the error above")
        return dict(json.loads(line))


def enter(asked: argparse.Namespace, folder: Path) -> Iterator[Contestant]:
    """Start every contestant."""
    count = (asked.rounds + 1) * asked.batches
    store = corpus(folder)
    even = write_batches(folder, "even", islice(gathered_by_length(store), count))
    entries = [("Dragoman", "dragoman", sys.executable, asked.width, even)]
    if asked.opennmt:
        wider = asked.width * 5 // 4
        entries.append(("OpenNMT-py", "opennmt", asked.opennmt, asked.width, even))
        entries.append((f"OpenNMT-py, {wider} wide", "opennmt", asked.opennmt, wider, even))
    if asked.joey:
        own = even
        if asked.as_shipped:
            own = write_batches(folder, "uneven", islice(gathered_as_they_come(store), count))
        entries.append(("JoeyNMT", "joeynmt", asked.joey, asked.width, own))
    for attention in ("additive", "general"):
        for name, toolkit, python, width, files in entries:
            script = Path(__file__).with_name("recurrent_contestant.py")
            command = [python, str(script), toolkit, attention, str(width), str(VOCABULARY)]
            if toolkit == "dragoman" or not asked.as_shipped:
                command.append("--keep-memory")
            process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"},
            )
            yield Contestant(name, attention, files, process)


def gathered_by_length(store: TokenStore) -> Iterator[Batch]:
    """Gather batches as Dragoman does."""
    return (
        batch for batch, _ in BatchStream(store, BatchSettings(max_tokens=SLOTS), 1).at(Position())
    )


def gathered_as_they_come(store: TokenStore) -> Iterator[Batch]:
    """Gather batches by the rule of JoeyNMT's TokenBatchSampler."""
    rows: list[int] = []
    longest = 0
    for index in np.random.default_rng(1).permutation(len(store)):
        rows.append(int(index))
        longest = max(longest, int(store.source_lengths[index]), int(store.target_lengths[index]))
        if longest * len(rows) >= SLOTS:
            yield make_batch([store.example(row) for row in rows])
            rows, longest = [], 0


def write_batches(folder: Path, name: str, batches: Iterable[Batch]) -> list[Path]:
    """Write batches and return their files."""
    files = []
    for number, batch in enumerate(batches):
        files.append(folder / f"{name}{number}.npz")
        np.savez(files[-1], source=batch.source, target=batch.target)
    return files


def report(contestants: list[Contestant]) -> None:
    """Print a row for every contestant, with Dragoman's ratio to it."""
    print(f"{'':22} attention  parameters  tokens per CPU-second  Dragoman's ratio    last loss")
    for one in contestants:
        ours = next(c for c in contestants if c.attention == one.attention)
        ratios = [a / b for a, b in zip(ours.speeds, one.speeds, strict=True)]
        print(
            f"{one.name:22} {one.attention:9} {one.about['parameters']:11,}  "
            f"{middle_and_range(one.speeds, 0):21}  "
            f"{'' if one is ours else middle_and_range(ratios, 2):18} "
            f"{one.rounds[-1]['loss']:9.2f}"
        )


def main() -> None:
    """Measure, and print one table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--opennmt", help="the Python of an environment with OpenNMT-py")
    parser.add_argument("--joey", help="the Python of an environment with JoeyNMT")
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--batches", type=int, default=5, help="batches per round and contestant")
    parser.add_argument("--as-shipped", action="store_true", help="peers with their own habits")
    asked = parser.parse_args()
    contestants: list[Contestant] = []
    with tempfile.TemporaryDirectory() as folder:
        try:
            for one in enter(asked, Path(folder)):
                contestants.append(one)
                one.about = one.answer()
            for number in range(asked.rounds + 1):  # the first warms up
                for one in contestants:
                    trained = one.train(number * asked.batches, asked.batches)
                    if number:
                        one.rounds.append(trained)
        finally:
            for one in contestants:
                one.process.terminate()
    memory = "peers as shipped" if asked.as_shipped else "the same memory and batches for all"
    print(
        f"torch {', '.join(sorted({c.about['torch'] for c in contestants}))}, 1 thread, width "
        f"{asked.width}, {asked.rounds} rounds of {asked.batches} batches, {memory}"
    )
    report(contestants)


if __name__ == "__main__":
    main()
