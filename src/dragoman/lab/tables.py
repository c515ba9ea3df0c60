"""The result of a comparison as tables: for a file, for a terminal and for programs."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from dragoman.lab.budget import Budget
from dragoman.lab.outcome import Figure, Standing

if TYPE_CHECKING:
    from rich.table import Table as RichTable

FORMAT, VERSION = "dragoman-comparison", 1
NOTHING = "–"


@dataclass(frozen=True)
class ComparisonTable:
    """A title, a head and a row for each recipe, all as text."""

    title: str
    head: tuple[str, ...]
    rows: list[tuple[str, ...]]


def tables(standings: Sequence[Standing]) -> list[ComparisonTable]:
    """Return the main table, which has the scores of the first test set, then further ones."""
    first, *others = sets_tested(standings)
    return [
        _main(standings, first),
        *(_scores(standings, name) for name in others),
        *(_by_length(standings, name) for name in (first, *others)),
    ]


def sets_tested(standings: Sequence[Standing]) -> list[str]:
    """Return the names of the test sets, the main one first."""
    return [*standings[0].outcomes[0].tests]


def markdown(standings: Sequence[Standing], budget: Budget, seeds: Sequence[int]) -> str:
    """Return the whole comparison as a page."""
    parts = ["# A comparison", about(budget, seeds)]
    for table in tables(standings):
        lines = [table.head, tuple("---" if n == 0 else "--:" for n in range(len(table.head)))]
        body = "\n".join(f"| {' | '.join(row)} |" for row in (*lines, *table.rows))
        parts.append(f"## {table.title}\n\n{body}")
    parts.append("\n".join(f"- {line}" for line in notes(standings)))
    return "\n\n".join(parts) + "\n"


def rich_tables(standings: Sequence[Standing]) -> "list[RichTable]":
    """Return the tables for a terminal."""
    from rich import box
    from rich.table import Table as RichTable

    made = []
    for table in tables(standings):
        one = RichTable(title=table.title, title_justify="left", box=box.SIMPLE_HEAD)
        for number, name in enumerate(table.head):
            one.add_column(name, justify="right" if number else "left", no_wrap=not number)
        for row in table.rows:
            one.add_row(*row)
        made.append(one)
    return made


def record(standings: Sequence[Standing], budget: Budget, seeds: Sequence[int]) -> dict[str, Any]:
    """Return the whole comparison as plain values: a row for each recipe, with its runs."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "budget": asdict(budget),
        "seeds": list(seeds),
        "rows": [_row(each) for each in standings],
        "signatures": _signatures(standings),
    }


def about(budget: Budget, seeds: Sequence[int]) -> str:
    """Say what was equal for all."""
    many = f"seeds {', '.join(map(str, seeds))}" if len(seeds) > 1 else f"seed {seeds[0]}"
    return f"Each run: {budget}; {many}. One corpus, one split."


def notes(standings: Sequence[Standing]) -> list[str]:
    """Say what the figures are, and how they were computed."""
    several = len(standings[0].outcomes) > 1
    spread = "Mean ± standard deviation over the seeds. " if several else ""
    return [
        f"{spread}Minutes are those of the steps alone; tokens are target tokens; the loss is that "
        "of the validation set in nats, with the best weights.",
        *(f"{name}: `{signature}`" for name, signature in _signatures(standings).items()),
    ]


def _main(standings: Sequence[Standing], test: str) -> ComparisonTable:
    head = (
        "recipe", "parameters", "tokens/s", "steps", "minutes", "loss per token",
        "loss per character", "BLEU", "chrF", "exact match %", "alignment error %",
    )  # fmt: skip
    rows = [
        (
            each.name,
            _number(each.over_seeds(lambda run: run.parameters), 0),
            _number(each.over_seeds(lambda run: run.tokens_per_second), 0),
            _number(each.over_seeds(lambda run: run.steps), 0),
            _number(each.over_seeds(lambda run: run.minutes), 1),
            _spread(each.over_seeds(lambda run: run.nats_per_token), 3),
            _spread(each.over_seeds(lambda run: run.nats_per_character), 4),
            *_cells(each, test),
        )
        for each in standings
    ]
    return ComparisonTable(f"Test set: {test}", head, rows)


def _scores(standings: Sequence[Standing], test: str) -> ComparisonTable:
    head = ("recipe", "BLEU", "chrF", "exact match %", "alignment error %")
    rows = [(each.name, *_cells(each, test)) for each in standings]
    return ComparisonTable(f"Test set: {test}", head, rows)


def _by_length(standings: Sequence[Standing], test: str) -> ComparisonTable:
    found = [each.by_length(test) for each in standings]
    buckets = [*found[0]]
    rows = [
        (each.name, *(_spread(row[bucket], 1) for bucket in buckets))
        for each, row in zip(standings, found, strict=True)
    ]
    return ComparisonTable(f"BLEU by words of the source: {test}", ("recipe", *buckets), rows)


def _cells(each: Standing, test: str) -> tuple[str, ...]:
    aligned = each.alignment(test)
    return (
        _spread(each.score(test, "bleu"), 2),
        _spread(each.score(test, "chrf"), 2),
        _spread(each.score(test, "exact"), 1),
        _spread(aligned.times(100), 1) if aligned else NOTHING,
    )


def _row(each: Standing) -> dict[str, Any]:
    tests = {
        name: {
            "bleu": asdict(each.score(name, "bleu")),
            "chrf": asdict(each.score(name, "chrf")),
            "exact": asdict(each.score(name, "exact")),
            "alignment": asdict(aligned) if (aligned := each.alignment(name)) else None,
            "bleu_by_length": {k: asdict(v) for k, v in each.by_length(name).items()},
        }
        for name in sets_tested([each])
    }
    figures = {
        "parameters": each.over_seeds(lambda run: run.parameters).mean,
        "tokens_per_second": each.over_seeds(lambda run: run.tokens_per_second).mean,
        "steps": each.over_seeds(lambda run: run.steps).mean,
        "minutes": each.over_seeds(lambda run: run.minutes).mean,
        "nats_per_token": asdict(each.over_seeds(lambda run: run.nats_per_token)),
        "nats_per_character": asdict(each.over_seeds(lambda run: run.nats_per_character)),
    }
    runs = [asdict(one) for one in each.outcomes]
    return {"recipe": each.name, "kind": each.kind, **figures, "tests": tests, "runs": runs}


def _signatures(standings: Sequence[Standing]) -> dict[str, str]:
    return {
        score["name"]: score["signature"]
        for each in standings
        for run in each.outcomes
        for test in run.tests.values()
        for key, score in test["scores"].items()
        if key in ("bleu", "chrf")
    }


def _number(figure: Figure, places: int) -> str:
    return f"{figure.mean:,.{places}f}"


def _spread(figure: Figure, places: int) -> str:
    mean = f"{figure.mean:.{places}f}"
    return mean if figure.deviation is None else f"{mean} ± {figure.deviation:.{places}f}"
