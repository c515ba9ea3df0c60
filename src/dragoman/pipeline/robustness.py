"""Robustness to text as people type it: capitals, slips, emoji, much too long or short.

The lines are made by `dragoman.data.batching.robustness`. Whoever translates is given as a function
from texts to texts, so that the bare network and everything that is put around it are judged alike.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from dragoman.config.reading import read_recipe
from dragoman.core.checksums import seal
from dragoman.core.errors import RunError
from dragoman.core.files import write_atomic
from dragoman.data.batching.robustness import LINES, Case, RobustnessLine, make_cases
from dragoman.data.corpus.held_out import load_held_out
from dragoman.data.formats.placeholders import split_tags
from dragoman.engine.checkpoint.folder import RunFolder, trained_run
from dragoman.metrics.hallucinations import UsualRatios, hallucination_reason
from dragoman.metrics.loops import loop
from dragoman.metrics.scores import score
from dragoman.tasks.common.card import tell_unstored, write_card
from dragoman.tasks.translation.report import REPORT

Translate = Callable[[list[str]], list[str]]


@dataclass(frozen=True)
class CaseScore:
    """The score of one robustness case."""

    name: str
    lines: int
    chrf: float
    difference: float | None
    """To the chrF of what it is compared with; None for the plain case."""

    loops: int
    hallucinations: int
    """Outputs that cannot be translations of their lines; loops and empty ones among them."""

    empty: int
    compared_with: str


def score_cases(
    cases: Sequence[Case], translate: Translate, usual: UsualRatios | None = None
) -> list[CaseScore]:
    """Translate every case, and hold it against the plain lines that it was made of."""
    wanted = [line.source for case in cases for line in case.lines]
    wanted += [pair.source for case in cases for line in case.lines for pair in line.plain]
    texts = list(dict.fromkeys(wanted))
    found = dict(zip(texts, translate(texts), strict=True))
    plain = next((case for case in cases if not case.compared_with), None)
    whole = None if plain is None else _chrf(plain.lines, found)
    return [_scored(case, found, usual, whole) for case in cases if case.lines]


def evaluate_robustness(
    run: str | Path, translate: Translate, how: str, *, seed: int = 1, count: int = LINES
) -> list[CaseScore]:
    """Judge a run on lines made of its own test sets; store the table and put it on the card.

    `how` says for people who translates: the network alone, or with care. The card of an imported
    network stays as it is.
    """
    folder = trained_run(Path(run))
    held_out = load_held_out(folder.data)
    pairs = [pair for own in held_out.tests.values() for pair in own]
    if not pairs:
        raise RunError(f"{folder.path}: has no test set of its own to make lines of.")
    usual = UsualRatios.of((split_tags(source)[1], target) for source, target in held_out.valid)
    judged = score_cases(make_cases(pairs, seed, count), translate, usual)
    _store(folder, judged, seed, how)
    return judged


def table(judged: Sequence[CaseScore]) -> str:
    """Return the cases as a page of text."""
    lines = [
        f"{'case':<18} {'lines':>5} {'chrF':>6} {'diff.':>6} {'loops':>5} {'halluc.':>7} "
        f"{'empty':>5}  compared with"
    ]
    for one in judged:
        apart = "" if one.difference is None else f"{one.difference:+.1f}"
        lines.append(
            f"{one.name:<18} {one.lines:>5} {one.chrf:6.1f} {apart:>6} {one.loops:>5} "
            f"{one.hallucinations:>7} {one.empty:>5}  {one.compared_with}".rstrip()
        )
    return "\n".join(lines) + "\n"


def _scored(
    case: Case, found: dict[str, str], usual: UsualRatios | None, whole: float | None
) -> CaseScore:
    outputs = [(split_tags(line.source)[1], found[line.source]) for line in case.lines]
    chrf, before = _chrf(case.lines, found), whole
    if all(line.plain for line in case.lines):
        before = _chrf([_as_it_stands(line) for line in case.lines], _joined(case.lines, found))
    compared = bool(case.compared_with) and before is not None
    return CaseScore(
        name=case.name,
        lines=len(case.lines),
        chrf=chrf,
        difference=chrf - before if compared and before is not None else None,
        loops=sum(loop(output, source) is not None for source, output in outputs),
        hallucinations=sum(
            hallucination_reason(source, output, usual) is not None for source, output in outputs
        ),
        empty=sum(not output.strip() for _, output in outputs),
        compared_with=case.compared_with,
    )


def _as_it_stands(line: RobustnessLine) -> RobustnessLine:
    """Return the plain line of a changed one: its pairs, joined where there are several."""
    return RobustnessLine(line.source, " ".join(pair.target for pair in line.plain))


def _joined(lines: Sequence[RobustnessLine], found: dict[str, str]) -> dict[str, str]:
    """Return what the pairs of each line became, by the source of the line."""
    return {line.source: " ".join(found[pair.source] for pair in line.plain) for line in lines}


def _chrf(lines: Sequence[RobustnessLine], found: dict[str, str]) -> float:
    outputs = [found[line.source] for line in lines]
    references = [line.reference for line in lines]
    return score(outputs, [references], metrics=("chrf",))["chrf"].value


@tell_unstored()
def _store(folder: RunFolder, judged: Sequence[CaseScore], seed: int, how: str) -> None:
    record = {"seed": seed, "how": how, "cases": [asdict(one) for one in judged]}
    write_atomic(folder.robustness, json.dumps(seal(record), indent=1, ensure_ascii=False) + "\n")
    if read_recipe(folder.recipe).corpus.kind != "imported":
        write_card(folder, REPORT)
