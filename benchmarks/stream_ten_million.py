"""Ten million pairs through every stage of `data/`, with the time and the memory of each.

    python benchmarks/stream_ten_million.py
    python benchmarks/stream_ten_million.py --pairs 1000000 --folder /a/disk/with/room

The claim: memory stays bounded. `peak` is the highest resident size so far (getrusage); `own` is
what the process holds for itself at that moment, without pages of mapped files, which the system
takes back when it needs them (Linux only). Files are written to a temporary folder and removed.
"""

import argparse
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import numpy as np

from dragoman.config.batches import BatchSettings
from dragoman.config.corpus import FilesCorpus
from dragoman.config.tokenizer import BpeTokenizerSettings
from dragoman.data.batching.store import TokenStore, write_store
from dragoman.data.batching.stream import BatchStream, Position
from dragoman.data.corpus.corpus import Corpus, open_corpus
from dragoman.data.tokenizer.pair import TokenizerPair
from dragoman.data.tokenizer.train import train_tokenizer_pair

SAMPLE = 20_000
"""Pairs that the tokenizer is learned from; this benchmark is not about learning it."""


def main() -> None:
    """Run all stages and print one line for each."""
    arguments = _arguments()
    with tempfile.TemporaryDirectory(dir=arguments.folder) as name:
        folder = Path(name)
        print(f"{arguments.pairs:,} pairs\n{'stage':<22}{'seconds':>9}{'peak MB':>9}{'own MB':>9}")
        with stage("start"):
            pass
        with stage("write the files"):
            files = write_corpus(folder, arguments.pairs)
        with stage("open the corpus"):
            corpus = open_corpus(FilesCorpus(train=files), seed=1)
        with stage("learn a tokenizer"):
            sample = islice(corpus.train(), SAMPLE)
            tokenizer = train_tokenizer_pair(BpeTokenizerSettings(vocab_size=2000), sample)
        with stage("encode and store"):
            store = write_store(folder, "train", encoded(corpus, tokenizer))
        with stage("plan an epoch"):
            stream = BatchStream(store, BatchSettings(), seed=1)
            batches = len(stream.plan(0))
        with stage("one epoch of batches"):
            tokens = run_epoch(stream, store, batches)
    print(f"{batches:,} batches, {tokens:,} target tokens, {len(store):,} pairs each seen once")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--pairs", type=int, default=10_000_000)
    parser.add_argument("--folder", type=Path, help="where the temporary folder is made")
    return parser.parse_args()


def write_corpus(folder: Path, pairs: int) -> tuple[Path, Path]:
    """Write pairs that are all different, of natural lengths, to two plain files."""
    random = np.random.default_rng(0)
    words = [
        "".join(random.choice(list("aeioulnrst"), size)) for size in random.integers(2, 9, 3000)
    ]
    lengths = np.clip(np.exp(random.normal(2.0, 0.5, 4000)), 1, 60).astype(int)
    sentences = [" ".join(random.choice(words, length)) for length in lengths]
    files = folder / "train.source", folder / "train.target"
    for path, step in zip(files, (1, 7), strict=True):
        with path.open("w", encoding="utf-8") as stream:
            for number in range(pairs):
                stream.write(f"{sentences[number * step % len(sentences)]} {number}\n")
    return files


def encoded(corpus: Corpus, tokenizer: TokenizerPair) -> Iterator[tuple[list[int], list[int]]]:
    """Encode the training pairs as they are read."""
    for source, target in corpus.train():
        yield tokenizer.source.encode(source), tokenizer.target.encode(target)


def run_epoch(stream: BatchStream, store: TokenStore, batches: int) -> int:
    """Take every batch of an epoch; check that each example came exactly once."""
    seen = np.zeros(len(store), dtype=bool)
    tokens = 0
    items = stream.at(Position())
    for batch, _ in islice(items, batches):
        if seen[batch.examples].any():
            raise RuntimeError("an example came twice")
        seen[batch.examples] = True
        tokens += batch.target_count
    items.close()
    if not seen.all():
        raise RuntimeError("an example did not come")
    return tokens


@contextmanager
def stage(name: str) -> Iterator[None]:
    """Print the time of a stage, and the memory at its end."""
    begin = time.perf_counter()
    yield
    unit = 2**20 if sys.platform == "darwin" else 2**10
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
    elapsed = time.perf_counter() - begin
    print(f"{name:<22}{elapsed:>9.1f}{peak:>9.0f}{_own():>9}", flush=True)


def _own() -> str:
    status = Path("/proc/self/status")
    if not status.exists():
        return "-"
    lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
    return str(int(lines["RssAnon"].split()[0]) // 1024)


if __name__ == "__main__":
    main()
