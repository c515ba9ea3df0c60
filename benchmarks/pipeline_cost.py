"""What the translation pipeline costs and changes beside the bare network, on a run's test sets.

    python benchmarks/pipeline_cost.py runs/demo runs/english-spanish

Time is processor time of one thread, in interleaved rounds: the bare network and the pipeline, on
the same plain sentences; the ratio is the median over the rounds. Sentence counts are of lines of 2
to 5 test sentences. Reading what the pipeline knows of the training text is timed by itself.
"""

import argparse
import random
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median

import torch

from dragoman.data.corpus.held_out import load_held_out
from dragoman.data.formats.pair import Pair
from dragoman.engine.checkpoint.folder import trained_run
from dragoman.metrics.scores import score
from dragoman.pipeline.difference import pipeline_difference
from dragoman.pipeline.sentence_splitting import portions
from dragoman.pipeline.translator import Translator

SENTENCES, ROUNDS, LINES = 500, 5, 200


def main() -> None:
    """Print a table row for each run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", type=Path, nargs="+")
    torch.set_num_threads(1)
    for run in parser.parse_args().runs:
        report(run)


def report(run: Path) -> None:
    """Print the figures of a run."""
    translator = Translator.load(run, device="cpu")
    started = seconds(translator.pipeline)
    tests = load_held_out(trained_run(run).data).tests
    pairs = next(iter(tests.values()))[:SENTENCES]
    sources, references = [pair.source for pair in pairs], [pair.target for pair in pairs]
    for beam in (1, 5):
        ratios = [
            seconds(partial(translator.translate, sources, beam=beam))
            / seconds(partial(translator.translate, sources, beam=beam, raw=True))
            for _ in range(ROUNDS)
        ]
        said = ", ".join(f"{ratio:.3f}" for ratio in sorted(ratios))
        print(f"{run}: beam {beam}: pipeline / bare {median(ratios):.3f} ({said})")
    translations = translator.translate(sources, raw=True)
    found = pipeline_difference(translator, run.name, sources, translations, references)
    print(f"{found.text()}; {score(translations, [references])['bleu'].signature}")
    print(f"{run}: {started:.2f} CPU seconds to read the training text")
    for raw in (True, False):
        print(f"{run}: {'bare' if raw else 'pipeline'}: {dropped(translator, pairs, raw)}")


def dropped(translator: Translator, pairs: list[Pair], raw: bool) -> str:
    """Count the lines of several sentences that come out with fewer, or more."""
    draw = random.Random(1)
    lines = [draw.sample(pairs, draw.randint(2, 5)) for _ in range(LINES)]
    sources = [" ".join(pair.source for pair in line) for line in lines]
    outputs = translator.translate(sources, raw=raw)
    counts = [
        (sentences(one), sentences(other)) for one, other in zip(sources, outputs, strict=True)
    ]
    fewer, more = sum(b < a for a, b in counts), sum(b > a for a, b in counts)
    references = [" ".join(pair.target for pair in line) for line in lines]
    chrf = score(outputs, [references], metrics=("chrf",))["chrf"].value
    return f"of {LINES} lines {fewer} have fewer sentences, {more} have more; chrF {chrf:.2f}"


def sentences(text: str) -> int:
    """Count the sentences of a text."""
    return len(portions(text)) // 2


def seconds(work: Callable[[], object]) -> float:
    """Measure the processor time of some work."""
    begin = time.process_time()
    work()
    return time.process_time() - begin


if __name__ == "__main__":
    main()
