"""Does a model that writes its steps down add better than one that says the answer at once?

Two small decoder-only models of equal size learn additions for equally many tokens: one sees the
answer alone, the other every step before it. A text with steps is three to four times as long, so
that model sees that many fewer additions. Both are asked for every token of a text, and answer
unseen additions by their likeliest tokens: of the lengths they have seen, and one digit longer.
"""

from collections.abc import Sequence
from pathlib import Path

from dragoman.config.batches import BatchSettings
from dragoman.config.decoder_only import DecoderOnlySettings
from dragoman.config.recipe import Recipe
from dragoman.config.sampling import SamplingSettings
from dragoman.config.task import LanguageTaskSettings
from dragoman.config.tokenizer import CharacterTokenizerSettings
from dragoman.data.corpus.generators.addition import Addition, read_answer
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.engine.checkpoint.metrics_log import read_log
from dragoman.lab.experiment import Experiment, NoOptions, Result, ResultTable
from dragoman.lab.experiments.chain_of_thought.data import (
    AdditionCorpus,
    Sums,
    draw_sums,
    write_sums,
)
from dragoman.lab.hypotheses import ClaimVerdict, ExperimentHypothesis, Verdict
from dragoman.lab.power import Power
from dragoman.lab.rates import describe_rates, trials_by_seed
from dragoman.lab.results import Measurement, Results, gap_of, select, spread_of
from dragoman.lab.runner import TrialRunner
from dragoman.lab.spread import spread
from dragoman.lab.trial import TunableTrial, parameter_count, text_lines
from dragoman.plots.lab import Panel, PlotLine, draw_panels
from dragoman.tasks.language_model.language_model import LanguageModel
from dragoman.trials.trial import train_in

DIRECT, STEPS = "answer alone", "with steps"
WAYS = (DIRECT, STEPS)

MODEL = DecoderOnlySettings(
    width=64, heads=4, layers=3, ffn_width=256, positions="rotary", dropout=0.0
)
BATCH, LONGEST = 768, 192
STEPS_TAKEN = {"quick": 500, "full": 1800}
RATES = dict.fromkeys(WAYS, 3e-3)
"""Of three, the best of either way by validation loss before an earlier run."""
TESTED = {"quick": 100, "full": 300}

LEAST = 20.0
"""Per cent of the sums that the better way must get right before the two are compared."""

CLAIM = ExperimentHypothesis(
    ("D47",),
    "a model answers better when it describes its steps first.",
    power=Power(effect=50.0, deviation=27.3),
)
"""In points of exact sums; the deviation is that of an earlier run with three other seeds."""

NOTE = (
    "Exact sums, % of unseen additions, greedy; ± is the deviation over seeds. Equal parameters "
    "(but for the comma, which only steps have), batches, steps and, to a few per cent, tokens "
    "trained on; as a text with steps is longer, that model has seen fewer additions and writes "
    "more for an answer. There are only 8,100 of two digits: without steps nearly all that are "
    "not tested were seen. Always giving the commonest answer gets about none right."
)


class ChainOfThoughtTrial(TunableTrial):
    """One way of writing, one seed."""

    model: DecoderOnlySettings
    sums: Sums
    tokens: int = BATCH
    """Padded tokens of a batch."""

    def draw(self, place: Path) -> AdditionCorpus:
        """Draw the additions, and write the texts to train and to validate on."""
        drawn = draw_sums(self.sums, self.seed)
        write_sums(drawn, self.sums, place, steps=self.name == STEPS)
        return drawn

    def recipe(self, place: Path) -> Recipe:
        """Return the recipe that trains it."""
        return self.recipe_of(
            "chain-of-thought",
            LanguageTaskSettings(),
            text_lines(place, test="valid"),
            self.model,
            tokenizer=CharacterTokenizerSettings(),
            batches=BatchSettings(max_tokens=self.tokens, max_length=LONGEST),
        )


def measure(runner: TrialRunner, _: NoOptions) -> Result:
    """Train both ways with each seed, and let them add."""
    tested = TESTED[runner.size]

    def make(name: str, rate: float, steps: int, seed: int) -> ChainOfThoughtTrial:
        sums = Sums(tokens=steps * BATCH, valid=tested, tested=tested)
        return ChainOfThoughtTrial(
            name=name, model=MODEL, rate=rate, sums=sums, steps=steps, seed=seed
        )

    trials = trials_by_seed(runner, make, RATES, STEPS_TAKEN[runner.size])
    results = runner.run(trials, measure_trial)
    return Result(results, decide(results), tables(results, describe_rates(results, 0)))


def measure_trial(trial: ChainOfThoughtTrial, place: Path) -> Measurement:
    """Train one model and let it answer the tests."""
    drawn = trial.draw(place)
    run = train_in(place, trial.recipe(place))
    writer = LanguageModel.load(run)
    log = read_log(RunFolder(run).metrics)
    answered = {digits: answer(writer, test) for digits, test in drawn.tests.items()}
    seen = range(trial.sums.fewest, trial.sums.digits + 1)
    return {
        "parameters": parameter_count(writer.model),
        "shown": len((place / "train.txt").read_text(encoding="utf-8").splitlines()),
        "trained_tokens": sum(row["tokens"] for row in log if row["kind"] == "train"),
        "written": answered[trial.sums.digits][1],
        "digits": {str(digits): right for digits, (right, _) in answered.items()},
        "seen": sum(answered[digits][0] for digits in seen) / len(seen),
        "longer": answered[trial.sums.digits + 1][0],
    }


def answer(writer: LanguageModel, sums: Sequence[Addition]) -> tuple[float, float]:
    """Return the percentage of right answers, and the characters written for one on average."""
    room = max(len(one.written(steps=True)) for one in sums) + 10
    settings = SamplingSettings(temperature=0.0, max_tokens=room)
    found = writer.generate([one.question for one in sums], settings)
    right = sum(read_answer(text) == one.answer for text, one in zip(found, sums, strict=True))
    return 100 * right / len(sums), sum(map(len, found)) / len(sums)


def decide(results: Results) -> list[ClaimVerdict]:
    """Say whether steps help with the lengths that were learned; longer ones are told apart."""
    item = 100 / int(results[0]["sums"]["tested"])
    gain = gap_of(results, STEPS, DIRECT, "seen", item)
    further = gap_of(results, STEPS, DIRECT, "longer", item)
    both = [spread_of(results, name, "seen") for name in WAYS]
    verdict: Verdict = "undecided"
    if max(one.mean for one in both) < LEAST:
        pass  # neither has learned to add
    elif gain.side_of(0.0) == "above":
        verdict = "confirmed"
    elif gain.side_of(0.0) == "below":
        verdict = "refuted"
    shown = [f"{spread_of(results, name, 'shown').mean:,.0f}" for name in WAYS]
    longer = [spread_of(results, name, "longer").written(1) for name in WAYS]
    because = (
        f"Exact sums of the lengths learned: {both[1].written(1)} % with steps, "
        f"{both[0].written(1)} % without; the difference {gain.interval(1)}. For equally many "
        f"tokens {shown[1]} additions were seen with steps, {shown[0]} without. One digit longer "
        f"than learned: {longer[1]} % with steps, {longer[0]} % without; {further.interval(1)}."
    )
    return [ClaimVerdict(CLAIM, verdict, because)]


def tables(results: Results, rates: str) -> list[ResultTable]:
    """Return the accuracy by digits, the longest ones apart, and what it cost."""
    *seen, longest = lengths(results)
    header = (
        "way", "parameters", "additions seen", "tokens trained on", *(f"{n} digits" for n in seen),
        "all of these", f"{longest} digits (never seen)", "characters written", "seconds",
    )  # fmt: skip
    lines = [
        (
            name,
            f"{select(results, name)[0]['parameters']:,}",
            f"{spread_of(results, name, 'shown').mean:,.0f}",
            f"{spread_of(results, name, 'trained_tokens').mean:,.0f}",
            *(spread(by_digits(results, name, n)).written(1) for n in seen),
            spread_of(results, name, "seen").written(1),
            spread_of(results, name, "longer").written(1),
            f"{spread_of(results, name, 'written').mean:.1f}",
            f"{spread_of(results, name, 'seconds').mean:.0f}",
        )
        for name in WAYS
    ]
    return [ResultTable("Addition with and without steps", header, lines, f"{NOTE} {rates}")]


def draw(result: Result, path: Path) -> None:
    """Draw the accuracy by digits."""
    digits = lengths(result.measurements)
    lines = [
        PlotLine(
            name,
            [float(n) for n in digits],
            [by_digits(result.measurements, name, n) for n in digits],
            color=number,
        )
        for number, name in enumerate(WAYS)
    ]
    title = f"exact sums, % (at most {digits[-2]} digits were learned)"
    draw_panels(
        [Panel(title, lines, "digits of each number", lowest=0.0)],
        path,
        "Addition with and without written steps",
    )


def lengths(results: Results) -> list[int]:
    """Return the digits of the tests, fewest first."""
    return sorted(int(digits) for digits in results[0]["digits"])


def by_digits(results: Results, name: str, digits: int) -> list[float]:
    """Return the accuracy of the seeds with numbers of so many digits."""
    return [float(result["digits"][str(digits)]) for result in select(results, name)]


EXPERIMENT = Experiment(
    name="chain-of-thought",
    title="Addition with and without written steps",
    hypotheses=(CLAIM,),
    options=NoOptions,
    measure=measure,
    draw=draw,
    seeds=tuple(range(11, 16)),
    quick_seeds=tuple(range(11, 16)),
)
