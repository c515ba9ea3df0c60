"""Claims on the task of the notes, Pig Latin by letters, and on how its runs are judged."""

import math
import re
from collections import Counter
from random import Random

import torch
from pydantic import Field
from torch import Tensor, nn

from dragoman.config.settings import Settings
from dragoman.data.batching.batch import Batch, make_batch
from dragoman.data.batching.endless import Position
from dragoman.data.corpus.generators.pig_latin import pig_latin
from dragoman.data.grammar.lexicon.lexicon import WHOLE
from dragoman.engine.training.report import StepReport, Stop
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Criterion, Evidence, above, equal, same
from dragoman.lab.experiments.pig_latin.data import Alphabet
from dragoman.lab.experiments.pig_latin.experiment import panels
from dragoman.lab.experiments.pig_latin.training import Epochs
from dragoman.lab.results import Measurement
from dragoman.neural.objectives.cross_entropy import Loss
from dragoman.plots.lab import Panel, PlotLine, curve

CONSONANTS = "[^aeiouy]*"
WITH_QU = f"{CONSONANTS}qu|{CONSONANTS}"


class PigLatinRuleSettings(Settings):
    """Words to translate into Pig Latin."""

    words: int = Field(default=2000, ge=1, le=20_000)
    """How many made-up words are tried besides those of the grammar's lexicon."""
    longest: int = Field(default=9, ge=1, le=30)
    """How many letters a made-up word has at most."""
    seed: int = Field(default=1, ge=0, le=1_000_000)
    """Seed of the made-up words."""


@claim(
    "A18",
    "Pig Latin is translation by a rule: the initial consonants of a word move to its end, "
    "followed by “ay”; a word that begins with a vowel gets “way”. Three details complete the "
    "rule: “qu” moves as a unit, y ends the run of consonants, and hyphenated "
    "parts are treated separately.",
    r"\mathrm{think} \to \mathrm{ink} \cdot \mathrm{th} \cdot \mathrm{ay}, \quad "
    r"\mathrm{queen} \to \mathrm{een} \cdot \mathrm{qu} \cdot \mathrm{ay}, \quad "
    r"\mathrm{apple} \to \mathrm{apple} \cdot \mathrm{way}",
)
def pig_latin_rule(settings: PigLatinRuleSettings) -> Evidence:
    """Compare the generator with a regular expression, on real and on made-up words."""
    known = sorted(_known_words())
    words = [*known, *_made_up(settings)]
    pairs = [(word, pig_latin(word)) for word in words]
    agree = sum(said == _by_pattern(word, WITH_QU) for word, said in pairs)
    kept = sum(Counter(said) == Counter(word + _endings(word)) for word, said in pairs)
    plain = sum(pig_latin(word) != _by_pattern(word, CONSONANTS) for word in known)
    shared = sum(count > 1 for count in Counter(map(pig_latin, known)).values())
    return Evidence(
        stated=[
            equal("words equal to those of the regular expression", agree, len(words)),
            equal("words that keep their letters and gain the ending", kept, len(words)),
            above("words of the lexicon where qu makes a difference", plain, 0),
        ],
        numbers={
            "words of the lexicon": len(known),
            "of these wrong if the u of qu stayed behind": plain,
            "outputs that two words of the lexicon share": shared,
            "entries of the alphabet, with a hyphen and four special tokens": Alphabet.of(
                ["-"]
            ).size,
            "think-queen-my-air": pig_latin("think-queen-my-air"),
        },
    )


def _known_words() -> set[str]:
    groups = (WHOLE.things, WHOLE.animals, WHOLE.places, WHOLE.adjectives, WHOLE.verbs)
    words = {entry.english.lower() for group in groups for entry in group}
    return {word for word in words if re.fullmatch("[a-z]+(-[a-z]+)*", word)}


def _made_up(settings: PigLatinRuleSettings) -> list[str]:
    random = Random(f"pig-latin/{settings.seed}")
    lengths = [random.randint(1, settings.longest) for _ in range(settings.words)]
    drawn = ["".join(random.choices("aeiouyqustrnwhb-", k=length)) for length in lengths]
    return [re.sub("-+", "-", word).strip("-") or "a" for word in drawn]


def _by_pattern(word: str, pattern: str) -> str:
    """Apply the rule with a regular expression for what moves to the end."""
    said = []
    for part in word.split("-"):
        first = "" if part[0] in "aeiou" else re.findall(f"^(?:{pattern})", part)[0]
        said.append(part[len(first) :] + first + _endings(part))
    return "-".join(said)


def _endings(word: str) -> str:
    return "".join("way" if part[0] in "aeiou" else "ay" for part in word.split("-"))


class StoppingSettings(Settings):
    """A noisy curve of validation losses that falls and then rises."""

    patience: int = Field(default=10, ge=0, le=100)
    """Epochs without a better loss after which training ends; 0 never ends it."""
    epochs: int = Field(default=60, ge=1, le=200)
    """How many epochs there are at most."""
    noise: float = Field(default=0.03, ge=0.0, le=1.0)
    """Size of the noise in the loss, from epoch to epoch."""
    seed: int = Field(default=1, ge=0, le=1_000_000)
    """Seed of the noise."""


class _CurveObjective:
    """An objective whose loss at each epoch is given; its one weight is the epoch's number."""

    progress = 0.0

    def __init__(self, curve: list[float]) -> None:
        self.curve = curve
        self.model: nn.Module = nn.Linear(1, 1, bias=False)
        self.epoch = 0

    def begin(self, epoch: int) -> None:
        self.epoch = epoch
        with torch.no_grad():
            for weight in self.model.parameters():
                weight.fill_(epoch)

    def weight(self) -> float:
        return next(self.model.parameters()).item()

    def denominator(self, batch: Batch) -> int:
        return batch.target_count

    def targets(self, batch: Batch) -> int:
        return batch.target_count

    def loss(self, batch: Batch, device: torch.device) -> Loss:
        value = torch.tensor(self.curve[self.epoch], dtype=torch.float64, device=device)
        return Loss(value, value, 1)


@claim(
    "A20",
    "Early stopping counts the epochs since the best validation loss, stops training when the "
    "count reaches the patience, and restores the weights of the best epoch.",
    r"e^* = \arg\min_{e' \le e} \ell_{e'}, \qquad \mathrm{stop\ at\ the\ first\ } e "
    r"\mathrm{\ with\ } e - e^* \ge p",
)
def early_stopping(settings: StoppingSettings) -> Evidence:
    """Run the early stopping of the Pig Latin runs on a made-up curve, and count by hand."""
    losses = _noisy_curve(settings)
    objective = _CurveObjective(losses)
    epochs = Epochs(objective, [make_batch([([3], [3])])], settings.patience)
    stopped = len(losses)
    for epoch in range(len(losses)):
        objective.begin(epoch)
        try:
            epochs(_report(epoch))
        except Stop:
            stopped = epoch + 1
            break
    count = epochs.stopping.since_best
    epochs.take_best_weights()
    end, best = _stop_by_hand(losses, settings.patience)
    places = [float(epoch + 1) for epoch in range(len(losses))]
    return Evidence(
        stated=[
            equal("epochs until it stops", stopped, end),
            equal("epochs since the best, when it stops", count, end - 1 - best),
            equal("epoch of the best loss", epochs.best, best),
            equal("restored weight (the number of its epoch)", objective.weight(), best),
        ],
        numbers={"stopped after epoch": stopped, "best epoch": best + 1, "loss": losses[best]},
        plot=[
            Panel(
                "validation loss",
                [
                    curve("loss", places, losses),
                    curve("until it stops", places[:stopped], losses[:stopped], 1),
                    curve("best", [float(best + 1)], [losses[best]], 2),
                ],
                "epoch",
            )
        ],
    )


def _noisy_curve(settings: StoppingSettings) -> list[float]:
    random = Random(f"stopping/{settings.seed}")
    return [
        2.5 * math.exp(-epoch / 6) + 0.4 + 0.004 * epoch + settings.noise * random.random()
        for epoch in range(settings.epochs)
    ]


def _stop_by_hand(losses: list[float], patience: int) -> tuple[int, int]:
    """Return after how many epochs training ends, and which was the best of them."""
    for epoch in range(len(losses)):
        best = losses.index(min(losses[: epoch + 1]))
        if patience and epoch - best >= patience:
            return epoch + 1, best
    return len(losses), losses.index(min(losses))


def _report(epoch: int) -> StepReport:
    """Return the report of an epoch's last step."""
    return StepReport(
        step=epoch + 1, nats=1.0, tokens=1, targets=1, gradient_norm=0.0, rate=0.0, seconds=0.0,
        position=Position(epoch + 1, 0), skipped=0,
    )  # fmt: skip


class LossPlotSettings(Settings):
    """Made-up results of the four runs of the notes."""

    seeds: int = Field(default=3, ge=1, le=10)
    """How many seeds each run has."""
    epochs: int = Field(default=12, ge=1, le=100)
    """How many epochs a run lasts at most; some stop earlier."""
    seed: int = Field(default=1, ge=0, le=1_000_000)
    """Seed of the made-up losses."""


@claim(
    "A25",
    "Plots that compare the losses by word list and by width show, for each run, the training and "
    "the validation loss of every epoch, as measured with each seed.",
    r"\bar\ell_e = \frac{1}{\lvert S_e \rvert} \sum_{s \in S_e} \ell_{s,e}, \qquad "
    r"S_e = \{ s : \mathrm{seed\ } s \mathrm{\ reached\ epoch\ } e \}",
)
def loss_plots(settings: LossPlotSettings) -> Evidence:
    """Plot made-up results with the experiment's own panels, and read the numbers back."""
    results = _made_up_results(settings)
    drawn = panels(results)
    wanted = {
        "the small list": ("h32-small", "h64-small"),
        "the large list": ("h32-large", "h64-large"),
        "width 32": ("h32-small", "h32-large"),
        "width 64": ("h64-small", "h64-large"),
    }
    criteria = []
    for title, runs in wanted.items():
        (panel,) = [one for one in drawn if one.title.startswith(title)]
        criteria.append(equal(f"{title}: lines", len(panel.lines), 2 * len(runs)))
        for run, valid, train in zip(runs, panel.lines[::2], panel.lines[1::2], strict=True):
            name = f"{title}, {run}"
            curves, trained = (
                [one[key] for one in results if one["name"] == run]
                for key in ("by_letter_curve", "train_curve")
            )
            criteria.append(_as_measured(f"{name}: validation loss", valid, curves))
            criteria.append(_as_measured(f"{name}: training loss", train, trained))
    return Evidence(stated=criteria, plot=[one for one in drawn if one.lines])


def _made_up_results(settings: LossPlotSettings) -> list[Measurement]:
    random = Random(f"loss-plots/{settings.seed}")
    results = []
    for run in ("h32-small", "h32-large", "h64-small", "h64-large"):
        for seed in range(1, settings.seeds + 1):
            length = random.randint((settings.epochs + 1) // 2, settings.epochs)
            valid = [3.0 / (epoch + 1) + random.random() for epoch in range(length)]
            train = [value - random.random() / 2 for value in valid]
            results.append(
                {"name": run, "seed": seed, "by_letter_curve": valid, "train_curve": train}
            )
    return results


def _as_measured(name: str, line: PlotLine, curves: list[list[float]]) -> Criterion:
    """Compare the means of a line with those that are taken epoch by epoch."""
    longest = max(map(len, curves))
    table = torch.full((len(curves), longest), math.nan, dtype=torch.float64)
    for row, values in zip(table, curves, strict=True):
        row[: len(values)] = torch.tensor(values, dtype=torch.float64)
    shown = [sum(values) / len(values) for values in line.values]
    drawn = torch.tensor([[*line.places], shown], dtype=torch.float64)
    return same(name, drawn, torch.stack((_epochs(longest), table.nanmean(dim=0))))


def _epochs(count: int) -> Tensor:
    return torch.arange(1, count + 1, dtype=torch.float64)
