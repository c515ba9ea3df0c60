"""Does a model that writes its steps down add better than one that says the answer at once?

Two small decoder-only models of equal size learn additions for equally many tokens: one sees the
answer alone, the other every step before it. A text with steps is three to four times as long, so
that model sees that many fewer additions. Both are asked for every token of a text, and answer
unseen additions by their likeliest tokens: of the lengths they have seen, and one digit longer.
"""

from collections.abc import Sequence
from pathlib import Path

from dragoman.config.batches import BatchSettings
from dragoman.config.corpus import TextCorpus
from dragoman.config.decoder_only import DecoderOnlySettings
from dragoman.config.optimiser import AdamW
from dragoman.config.recipe import Recipe
from dragoman.config.sampling import SamplingSettings
from dragoman.config.schedule import Cosine
from dragoman.config.task import LanguageTaskSettings
from dragoman.config.tokenizer import CharacterTokenizerSettings
from dragoman.config.training import ObjectiveSettings
from dragoman.data.corpus.generators.addition import Addition, read_answer
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.engine.checkpoint.metrics_log import read_log
from dragoman.lab.bench import Bench
from dragoman.lab.experiment import (
    Claim,
    ClaimVerdict,
    NoOptions,
    Result,
    ResultTable,
    Row,
    Subject,
    Verdict,
)
from dragoman.lab.experiments.chain_of_thought.data import (
    AdditionCorpus,
    Sums,
    draw_sums,
    write_sums,
)
from dragoman.lab.rates import Rated, choose_rates, told_rates
from dragoman.lab.rows import figures, named
from dragoman.lab.spread import difference, spread
from dragoman.lab.training import plain_training, train_in
from dragoman.plots.lab import Panel, PlotLine, draw_panels
from dragoman.tasks.language_model.language_model import LanguageModel

DIRECT, STEPS = "answer alone", "with steps"
WAYS = (DIRECT, STEPS)

MODEL = DecoderOnlySettings(
    width=64, heads=4, layers=3, ffn_width=256, positions="rotary", dropout=0.0
)
BATCH, LONGEST = 768, 192
STEPS_TAKEN = {"quick": 500, "full": 1800}
TUNING = {"quick": 0, "full": 600}
"""Steps with each learning rate; without any, the usual rate is taken."""
USUAL = dict.fromkeys(WAYS, 3e-3)
TESTED = {"quick": 100, "full": 300}

LEAST = 20.0
"""Per cent of the sums that the better way must get right before the two are compared."""

STATEMENT = Claim(("D47",), "a model answers better when it describes its steps first.")

NOTE = (
    "Exact sums, % of unseen additions, greedy; ± is the deviation over seeds. Equal parameters "
    "(but for the comma, which only steps have), batches, steps and, to a few per cent, tokens "
    "trained on; as a text with steps is longer, that model has seen fewer additions and writes "
    "more for an answer. There are only 8,100 of two digits: without steps nearly all that are "
    "not tested were seen. Always giving the commonest answer gets about none right."
)


class ChainOfThoughtTrial(Rated):
    """One way of writing, one seed."""

    model: DecoderOnlySettings
    sums: Sums
    steps: int
    tokens: int = BATCH
    """Slots of a batch."""
    seed: int

    def recipe(self, train: Path, valid: Path) -> Recipe:
        """Return the recipe that trains this unit."""
        return Recipe(
            name="chain-of-thought",
            seed=self.seed,
            task=LanguageTaskSettings(),
            corpus=TextCorpus(train=(train,), valid=(valid,), test=(valid,), documents="lines"),
            tokenizer=CharacterTokenizerSettings(),
            batches=BatchSettings(max_tokens=self.tokens, max_length=LONGEST),
            model=self.model,
            objective=ObjectiveSettings(label_smoothing=0.0),
            optimizer=AdamW(learning_rate=self.rate),
            schedule=Cosine(warmup_steps=self.steps // 20),
            training=plain_training(self.steps),
        )


def measure(bench: Bench, _: NoOptions) -> Result:
    """Choose a rate for each way, train both with each seed, and let them add."""
    tested, tuning = TESTED[bench.size], TUNING[bench.size]

    def unit(name: str, rate: float, steps: int, seed: int) -> ChainOfThoughtTrial:
        sums = Sums(tokens=steps * BATCH, valid=tested, tested=tested)
        return ChainOfThoughtTrial(
            name=name, model=MODEL, rate=rate, sums=sums, steps=steps, seed=seed
        )

    rates = choose_rates(bench, unit, USUAL, tuning, train_unit)
    units = [
        unit(name, rate, STEPS_TAKEN[bench.size], seed)
        for seed in bench.seeds
        for name, rate in rates.items()
    ]
    rows = bench.measured(units, measure_unit, name=lambda unit: f"{unit.name}, {unit.seed}")
    return Result(rows, judge(rows), tables(rows, told_rates(rows, tuning)))


def train_unit(unit: ChainOfThoughtTrial, place: Path) -> Path:
    """Draw the additions of a unit and train its model; the tests are not looked at."""
    drawn = draw_sums(unit.sums, unit.seed)
    return train_in(place, unit.recipe(*_written(unit, drawn, place)))


def measure_unit(unit: ChainOfThoughtTrial, place: Path) -> Row:
    """Train one model and let it answer the tests."""
    drawn = draw_sums(unit.sums, unit.seed)
    train, valid = _written(unit, drawn, place)
    run = train_in(place, unit.recipe(train, valid))
    writer = LanguageModel.load(run)
    log = read_log(RunFolder(run).metrics)
    answered = {digits: answer(writer, test) for digits, test in drawn.tests.items()}
    seen = range(unit.sums.fewest, unit.sums.digits + 1)
    return {
        "parameters": sum(weight.numel() for weight in writer.model.parameters()),
        "shown": len(train.read_text(encoding="utf-8").splitlines()),
        "trained_tokens": sum(row["tokens"] for row in log if row["kind"] == "train"),
        "written": answered[unit.sums.digits][1],
        "digits": {str(digits): right for digits, (right, _) in answered.items()},
        "seen": sum(answered[digits][0] for digits in seen) / len(seen),
        "longer": answered[unit.sums.digits + 1][0],
    }


def _written(unit: ChainOfThoughtTrial, drawn: AdditionCorpus, place: Path) -> tuple[Path, Path]:
    return write_sums(drawn, unit.sums, place, steps=unit.name == STEPS)


def answer(writer: LanguageModel, sums: Sequence[Addition]) -> tuple[float, float]:
    """Return the percentage of right answers, and the characters written for one on average."""
    room = max(len(one.written(steps=True)) for one in sums) + 10
    settings = SamplingSettings(temperature=0.0, max_tokens=room)
    found = writer.generate([one.question for one in sums], settings)
    right = sum(read_answer(text) == one.answer for text, one in zip(found, sums, strict=True))
    return 100 * right / len(sums), sum(map(len, found)) / len(sums)


def judge(rows: Sequence[Row]) -> list[ClaimVerdict]:
    """Say whether steps help with the lengths that were learned; longer ones are told apart."""
    gain = difference(figures(rows, STEPS, "seen"), figures(rows, DIRECT, "seen"))
    further = difference(figures(rows, STEPS, "longer"), figures(rows, DIRECT, "longer"))
    both = [spread(figures(rows, name, "seen")) for name in WAYS]
    verdict: Verdict = "undecided"
    if max(one.mean for one in both) < LEAST:
        pass  # neither has learned to add
    elif gain.side_of(0.0) == "above":
        verdict = "confirmed"
    elif gain.side_of(0.0) == "below":
        verdict = "refuted"
    shown = [f"{spread(figures(rows, name, 'shown')).mean:,.0f}" for name in WAYS]
    longer = [spread(figures(rows, name, "longer")).written(1) for name in WAYS]
    because = (
        f"Exact sums of the lengths learned: {both[1].written(1)} % with steps, "
        f"{both[0].written(1)} % without; the difference {gain.interval(1)}. For equally many "
        f"tokens {shown[1]} additions were seen with steps, {shown[0]} without. One digit longer "
        f"than learned: {longer[1]} % with steps, {longer[0]} % without; {further.interval(1)}."
    )
    return [ClaimVerdict(STATEMENT, verdict, because)]


def tables(rows: Sequence[Row], rates: str) -> list[ResultTable]:
    """Return the accuracy by digits, the longest ones apart, and what it cost."""
    *seen, longest = lengths(rows)
    header = (
        "way", "parameters", "additions seen", "tokens trained on", *(f"{n} digits" for n in seen),
        "all of these", f"{longest} digits (never seen)", "characters written", "seconds",
    )  # fmt: skip
    lines = [
        (
            name,
            f"{named(rows, name)[0]['parameters']:,}",
            f"{spread(figures(rows, name, 'shown')).mean:,.0f}",
            f"{spread(figures(rows, name, 'trained_tokens')).mean:,.0f}",
            *(spread(by_digits(rows, name, n)).written(1) for n in seen),
            spread(figures(rows, name, "seen")).written(1),
            spread(figures(rows, name, "longer")).written(1),
            f"{spread(figures(rows, name, 'written')).mean:.1f}",
            f"{spread(figures(rows, name, 'seconds')).mean:.0f}",
        )
        for name in WAYS
    ]
    return [ResultTable("Addition with and without steps", header, lines, f"{NOTE} {rates}")]


def draw(result: Result, path: Path) -> None:
    """Draw the accuracy by digits."""
    digits = lengths(result.rows)
    lines = [
        PlotLine(
            name,
            [float(n) for n in digits],
            [by_digits(result.rows, name, n) for n in digits],
            colour=number,
        )
        for number, name in enumerate(WAYS)
    ]
    title = f"exact sums, % (at most {digits[-2]} digits were learned)"
    draw_panels(
        [Panel(title, lines, "digits of each number", lowest=0.0)],
        path,
        "Addition with and without written steps",
    )


def lengths(rows: Sequence[Row]) -> list[int]:
    """Return the digits of the tests, fewest first."""
    return sorted(int(digits) for digits in rows[0]["digits"])


def by_digits(rows: Sequence[Row], name: str, digits: int) -> list[float]:
    """Return the accuracy of the seeds with numbers of so many digits."""
    return [float(row["digits"][str(digits)]) for row in named(rows, name)]


SUBJECT = Subject(
    name="chain-of-thought",
    title="Addition with and without written steps",
    statements=(STATEMENT,),
    options=NoOptions,
    measure=measure,
    draw=draw,
)
