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
JoeyNMT     fed back with both kinds; its encoder is W wide for each direction, as ours.

The peers run with their own model, batch, loss and optimiser classes, in the order of their own
trainers. Each contestant is a process of its own on one thread that keeps its model; it is handed
the files of the same batches, made beforehand by Dragoman's stream. Rounds alternate between all of
them. Speeds are real target tokens per CPU-second, reading the files included, medians over rounds;
ratios are taken round by round. All have Dragoman's memory settings, unless `--as-shipped` leaves
the peers those of the system.

The peers' virtual environments, where a toolkit asks for an older torch than it needs:

    python3.11 -m venv JOEY; JOEY/bin/pip install torch==2.13.0 joeynmt==2.3.0 importlib_metadata
    python3.11 -m venv OPENNMT; OPENNMT/bin/pip install torch==2.13.0 pyonmttok configargparse \\
        pyyaml six; OPENNMT/bin/pip install --no-deps OpenNMT-py==3.5.1
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from training_speed import VOCABULARY, corpus

from dragoman.config.batches import BatchSettings
from dragoman.data.batching.stream import BatchStream, Position


@dataclass
class Contestant:
    """A process that trains one model, and what it has shown."""

    name: str
    attention: str
    process: subprocess.Popen[str]
    about: dict[str, Any] = field(default_factory=dict)
    rounds: list[dict[str, float]] = field(default_factory=list)

    @property
    def speeds(self) -> list[float]:
        """Target tokens per CPU-second, round by round."""
        return [each["tokens"] / each["seconds"] for each in self.rounds]

    def ask(self, files: list[Path]) -> dict[str, Any]:
        """Let it train on some batches."""
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


def enter(asked: argparse.Namespace) -> list[Contestant]:
    """Start every contestant."""
    entries = [("Dragoman", "dragoman", sys.executable, asked.width)]
    if asked.opennmt:
        wider = asked.width * 5 // 4
        entries.append(("OpenNMT-py", "opennmt", asked.opennmt, asked.width))
        entries.append((f"OpenNMT-py, {wider} wide", "opennmt", asked.opennmt, wider))
    if asked.joey:
        entries.append(("JoeyNMT", "joeynmt", asked.joey, asked.width))
    started = []
    for attention in ("additive", "general"):
        for name, toolkit, python, width in entries:
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
            contestant = Contestant(name, attention, process)
            started.append(contestant)
            contestant.about = contestant.answer()
    return started


def write_batches(folder: Path, count: int) -> list[Path]:
    """Make so many batches and return their files."""
    stream = BatchStream(corpus(folder), BatchSettings(tokens=2048), 1).at(Position())
    files = [folder / f"batch{number}.npz" for number in range(count)]
    for file in files:
        batch, _ = next(stream)
        np.savez(file, source=batch.source, target=batch.target)
    return files


def report(contestants: list[Contestant]) -> None:
    """Print a row for every contestant, with Dragoman's ratio to it."""
    print(f"{'':22} attention  parameters  tokens per CPU-second  Dragoman's ratio        loss")
    for one in contestants:
        ours = next(c for c in contestants if c.attention == one.attention)
        ratios = [a / b for a, b in zip(ours.speeds, one.speeds, strict=True)]
        speed = (
            f"{statistics.median(one.speeds):5.0f} ({min(one.speeds):.0f}–{max(one.speeds):.0f})"
        )
        ratio = f"{statistics.median(ratios):.2f} ({min(ratios):.2f}–{max(ratios):.2f})"
        print(
            f"{one.name:22} {one.attention:9} {one.about['parameters']:11,}  {speed:21}  "
            f"{'' if one is ours else ratio:18} {one.rounds[-1]['loss']:9.2f}"
        )


def main() -> None:
    """Measure, and print one table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--opennmt", help="the Python of an environment with OpenNMT-py")
    parser.add_argument("--joey", help="the Python of an environment with JoeyNMT")
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--batches", type=int, default=5, help="batches per round and contestant")
    parser.add_argument("--as-shipped", action="store_true", help="peers with the system's malloc")
    asked = parser.parse_args()
    contestants: list[Contestant] = []
    with tempfile.TemporaryDirectory() as folder:
        files = write_batches(Path(folder), (asked.rounds + 1) * asked.batches)
        try:
            contestants = enter(asked)
            for number in range(asked.rounds + 1):  # the first warms up
                for one in contestants:
                    trained = one.ask(files[number * asked.batches :][: asked.batches])
                    if number:
                        one.rounds.append(trained)
        finally:
            for one in contestants:
                one.process.terminate()
    memory = "the peers with the system's malloc" if asked.as_shipped else "one malloc for all"
    print(
        f"torch {', '.join(sorted({c.about['torch'] for c in contestants}))}, 1 thread, width "
        f"{asked.width}, {asked.rounds} rounds of {asked.batches} batches, {memory}"
    )
    report(contestants)


if __name__ == "__main__":
    main()
