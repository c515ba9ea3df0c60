"""What survives a translation, and text as people type it: tables for the docs.

    python benchmarks/trusted_output.py RUN PLACEHOLDERS.tsv

PLACEHOLDERS.tsv holds pairs whose sources have something that must survive, none of them trained
on.
"""

import re
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from dragoman.data.batching.robustness import LINES, make_cases
from dragoman.data.corpus.held_out import load_held_out
from dragoman.data.documents.document import Segment
from dragoman.data.formats.accelerators import without_accelerator
from dragoman.data.formats.pair import Pair
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.metrics.hallucinations import UsualRatios
from dragoman.metrics.scores import score
from dragoman.pipeline.load import load_pipeline
from dragoman.pipeline.protection import How
from dragoman.pipeline.robustness import score_cases, table
from dragoman.pipeline.segments import translate_segments
from dragoman.pipeline.sentences import SentencePipeline
from dragoman.tasks.translation.bare_translator import BareTranslator

THINGS = re.compile(
    r"%(?:\d+\$|\(\w+\))?[-+#0']*\d*(?:\.\d+)?(?:hh|h|ll|l|z|j|t)?[diouxXeEfgGcsprn@]"
    r"|%\d|%%|\$?\{[^{}]*\}|</?[A-Za-z][^<>]*>|&#?\w+;|https?://[^\s<>\"'।]+"
    r"|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|(?<![\w-])--[a-z][\w-]*|\\[nrt\"]"
)
NUMBER = re.compile(r"(?<![\w.])\d+(?![\w])")
WORST: list[How] = ["at once", "insisted", "in parts"]


def translated(pipeline: SentencePipeline, texts: Sequence[str]) -> tuple[list[str], Counter[How]]:
    """Translate with care; return the texts, and how many needed what."""
    found = translate_segments(pipeline, [Segment(text) for text in texts])
    needed = Counter(max((told.how for told in one.told), key=WORST.index) for one in found)
    return [one.answer.text for one in found], needed


def survivors(sources: Sequence[str], hypotheses: Sequence[str]) -> int:
    """Count the texts that have all that their sources have, nothing doubled and nothing made up.

    This is seen by patterns of its own, not by those that the translator goes by.
    """
    count = 0
    for source, hypothesis in zip(sources, hypotheses, strict=True):
        bare, pressed = without_accelerator(source)
        marked = pressed is None or pressed.mark in hypothesis
        said, _ = without_accelerator(hypothesis)
        here, there = things_of(bare), things_of(said)
        numbers, found = numbers_of(bare), numbers_of(said)
        count += marked and here == there and not numbers - found
    return count


def things_of(text: str) -> Counter[str]:
    """Count what programs put into a text, and note in which order values are taken."""
    found = [one.rstrip(".,;:!?)") if "://" in one else one for one in THINGS.findall(text)]
    ordered = " ".join(one for one in found if re.match("%[a-z]", one))
    return Counter([*found, ordered])


def numbers_of(text: str) -> Counter[str]:
    """Count the numbers that stand outside of such things, in digits of any script."""
    bare = THINGS.sub(" ", text)
    return Counter(str(int(one)) for one in NUMBER.findall(bare))


def figures(hypotheses: Sequence[str], pairs: Sequence[Pair]) -> str:
    """Score against the references."""
    found = score(list(hypotheses), [[pair.target for pair in pairs]], metrics=("bleu", "chrf"))
    return (
        f"BLEU {found['bleu'].value:.2f}, chrF {found['chrf'].value:.2f} {found['bleu'].signature}"
    )


def read(path: Path) -> list[Pair]:
    """Read pairs."""
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").split("\n")[:-1]]
    return [Pair(*row[:2]) for row in rows]


def placeholders(pipeline: SentencePipeline, path: Path) -> None:
    """Compare protecting with not protecting."""
    pairs = read(path)
    sources = [pair.source for pair in pairs]
    bare = pipeline.translator.translate(sources)
    kept, needed = translated(pipeline, sources)
    for name, hypotheses in (("not protected", bare), ("protected", kept)):
        share = survivors(sources, hypotheses)
        print(f"{name}: {share} of {len(pairs)} have all; {figures(hypotheses, pairs)}")
    print("needed:", dict(needed))


def robustness(pipeline: SentencePipeline, run: RunFolder) -> None:
    """Compare care with the network alone on text as people type it."""
    held_out = load_held_out(run.data)
    pairs = [pair for test in held_out.tests.values() for pair in test]
    usual = UsualRatios.of(held_out.valid)
    cases = make_cases(pairs, 1, LINES)
    plain = replace(pipeline, mend=None)
    for name, one in (
        ("the network alone", pipeline.translator.translate),
        ("with care but for slips", lambda texts: translated(plain, texts)[0]),
        ("with care", lambda texts: translated(pipeline, texts)[0]),
    ):
        print(f"\n{name}:\n{table(score_cases(cases, one, usual))}")


def main(run: str, path: str) -> None:
    """Print all tables."""
    translator = BareTranslator.load(run)
    pipeline = load_pipeline(Path(run), translator)
    placeholders(pipeline, Path(path))
    robustness(pipeline, RunFolder(Path(run)))


if __name__ == "__main__":
    main(*sys.argv[1:])
