"""Can a model do from examples in its prompt what its weights were never changed for?

A small decoder-only model learns here from texts that each explain a rule by examples: two letters
that are put before, around or behind some others. It is asked about rules that no text
showed. SmolLM2-135M-Instruct, as it was published, is given sums, mixed-up words and words of
French, if asked for. Both answer after 0 to 8 examples; a checksum says that no weight has changed.
A control gives wrong examples: to the first those of another rule, to the second each the answer of
another. What is then lost was learned from the examples, and what remains was only called up.

Network, rate and steps of the small model are set beforehand, from a pilot with seeds 90 to 92.
"""

import shutil
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Literal

from dragoman.config.batches import BatchSettings
from dragoman.config.decoder_only import DecoderOnlySettings
from dragoman.config.recipe import Recipe
from dragoman.config.settings import Settings
from dragoman.config.task import LanguageTaskSettings
from dragoman.config.tokenizer import WordTokenizerSettings
from dragoman.core.errors import DataError
from dragoman.core.files import sha256
from dragoman.core.lock import in_turn
from dragoman.data.corpus.catalogue.entries import find_entry
from dragoman.data.corpus.catalogue.store import present
from dragoman.interop.importing import import_gguf
from dragoman.lab.experiment import Experiment, Result, ResultTable
from dragoman.lab.experiments.in_context.data import (
    EVERYDAY,
    MOST,
    RIGHT,
    SHOTS,
    SHOWN,
    Documents,
    PromptSet,
    answer_all,
    ask_of_everyday,
    ask_of_letters,
    checksum,
    write_documents,
)
from dragoman.lab.experiments.in_context.verdicts import (
    CLAIM,
    PUBLISHED,
    SMOLLM2,
    TRAINED,
    accuracies,
    control_of,
    decide,
    families,
    guesses,
)
from dragoman.lab.results import Measurement, Results, names, select
from dragoman.lab.runner import TrialRunner
from dragoman.lab.spread import spread
from dragoman.lab.trial import ModelTrial, TunableTrial, parameter_count, text_lines
from dragoman.plots.lab import Panel, PlotLine, draw_panels
from dragoman.tasks.language_model.language_model import LanguageModel

MODEL = DecoderOnlySettings(
    width=64, heads=4, layers=2, ffn_width=256, positions="rotary", dropout=0.0
)
BATCH, LONGEST = 1024, 128
STEPS = {"quick": 1200, "full": 1500}
DOCUMENTS = {"quick": Documents(train=9000, valid=50), "full": Documents(train=12_000, valid=100)}
QUESTIONS = {"quick": {TRAINED: 25, SMOLLM2: 6}, "full": {TRAINED: 100, SMOLLM2: 64}}
"""Of each family after each number of examples."""

NOTE = (
    "Right answers, %, greedy; ± is the deviation over seeds (for SmolLM2: draws of questions, of "
    "which it reads the first word or number). Other: examples of another task; moved: examples "
    "with each other's answers. Shown: tasks that the model learned from. Guess: the better of "
    "always giving the commonest answer and repeating the question. Without examples only a sum "
    "says what is asked. SmolLM2 is read from 4 bits a weight, and prompted as plain text. The "
    "small model's rate and length were set beforehand."
)


class InContextOptions(Settings):
    """The options of this subject."""

    models: Literal["trained", "smollm2", "both"] = "trained"
    """Which models are asked: the one trained here, SmolLM2 (`dragoman data get smollm2`), both."""


class InContextTrial(TunableTrial):
    """The small model of one seed."""

    name: Literal["trained here"] = TRAINED
    model: DecoderOnlySettings
    documents: Documents
    rate: float = 3e-3
    tokens: int = BATCH
    """Padded tokens of a batch."""
    questions: int

    def draw(self, place: Path) -> None:
        """Write the texts to train and to validate on."""
        write_documents(self.documents, place, self.seed)

    def recipe(self, place: Path) -> Recipe:
        """Return the recipe that trains it."""
        return self.recipe_of(
            "in-context",
            LanguageTaskSettings(),
            text_lines(place, test="valid"),
            self.model,
            tokenizer=WordTokenizerSettings(shared=True),
            batches=BatchSettings(max_tokens=self.tokens, max_length=LONGEST),
        )


class PublishedModelTrial(ModelTrial):
    """A published model, one family of questions, one draw of them."""

    name: Literal["SmolLM2"] = SMOLLM2
    family: str
    weights: str
    """Checksum of the file."""
    questions: int

    @property
    def title(self) -> str:
        """The line that is printed when it begins."""
        return f"{self.name}, {self.family}, seed {self.seed}"


def measure(runner: TrialRunner, options: InContextOptions) -> Result:
    """Ask the models, and train the small one before that."""
    file = None if options.models == "trained" else find_weights()
    results: list[Measurement] = []
    if options.models != "smollm2":
        results += runner.run(in_context_trials(runner), measure_trained)
    if file is not None:
        run = runner.folder / "smollm2"
        prompts = partial(measure_published, file=file, run=run)
        results += runner.run(published_trials(runner, file), prompts)
        shutil.rmtree(run, ignore_errors=True)  # half a gigabyte, soon made again
    return Result(results, decide(results), tables(results))


def in_context_trials(runner: TrialRunner) -> list[InContextTrial]:
    """Return the small models to be trained."""
    return [
        InContextTrial(
            model=MODEL,
            documents=DOCUMENTS[runner.size],
            steps=STEPS[runner.size],
            questions=QUESTIONS[runner.size][TRAINED],
            seed=seed,
        )
        for seed in runner.seeds
    ]


def published_trials(runner: TrialRunner, file: Path) -> list[PublishedModelTrial]:
    """Return the draws of questions for SmolLM2."""
    weights, questions = sha256(file), QUESTIONS[runner.size][SMOLLM2]
    return [
        PublishedModelTrial(family=family, weights=weights, questions=questions, seed=seed)
        for seed in runner.seeds
        for family in EVERYDAY
    ]


def find_weights() -> Path:
    """Find the file of SmolLM2 on this machine."""
    found = present(find_entry("smollm2"))
    files = sorted(found[0].path.glob("*.gguf")) if found and found[0].path.is_dir() else []
    if found and not files:
        files = [found[0].path]
    if not files:
        raise DataError(
            "in-context: SmolLM2 is not on this machine. Fetch it once with "
            "`dragoman data get smollm2`, or leave it out with --models trained."
        )
    return files[0]


def measure_trained(trial: InContextTrial, place: Path) -> Measurement:
    """Train a small model, and ask it about tasks that it has never seen."""
    return ask(LanguageModel.load(trial.train(place)), ask_of_letters(trial.questions, trial.seed))


def measure_published(
    trial: PublishedModelTrial, place: Path, *, file: Path, run: Path
) -> Measurement:
    """Ask SmolLM2 the questions of one family."""
    with in_turn(run.parent):
        if not run.exists():
            import_gguf(file, run)
    return ask(LanguageModel.load(run), ask_of_everyday(trial.family, trial.questions, trial.seed))


def ask(writer: LanguageModel, prompts: Sequence[PromptSet]) -> Measurement:
    """Put questions to a model, and take a checksum of its weights before and after."""
    before = checksum(writer.model)
    cells = answer_all(writer, prompts)
    return {
        "parameters": parameter_count(writer.model),
        "weights_before": before,
        "weights_after": checksum(writer.model),
        "cells": cells,
    }


def tables(results: Results) -> list[ResultTable]:
    """Return a table for each model: families by examples, the controls beside them."""
    return [_table(results, name) for name in names(results)]


def _table(results: Results, name: str) -> ResultTable:
    parameters = select(results, name)[0]["parameters"]
    seconds = sum(float(result["seconds"]) for result in select(results, name))
    shown, control = name == TRAINED, control_of(results, name)
    header = (
        "task", *(f"{shots} shots" for shots in SHOTS), f"{MOST}, {control}",
        *([f"{MOST}, shown"] if shown else []), "guess",
    )  # fmt: skip
    lines = []
    for family in (*families(results, name), None):
        cells = [accuracies(results, name, shots, family=family) for shots in SHOTS]
        cells.append(accuracies(results, name, MOST, control, family))
        if shown:
            cells.append(accuracies(results, name, MOST, SHOWN, family))
        cells.append(guesses(results, name, family))
        lines.append((family or "mean", *(spread(cell).written(1) for cell in cells)))
    title = (
        f"{name}: {parameters:,} parameters, none of them trained while answering; "
        f"{seconds:.0f} s in all"
    )
    return ResultTable(title, header, lines, NOTE if name == names(results)[-1] else "")


def draw(result: Result, path: Path) -> None:
    """Draw accuracy against the number of examples, a panel for each model."""
    panels = [
        Panel(
            f"{name}: right answers, % (dashed: with wrong examples)",
            [
                line
                for number, family in enumerate(families(result.measurements, name))
                for line in _lines(result.measurements, name, family, number)
            ],
            "examples in the prompt",
            lowest=0.0,
        )
        for name in names(result.measurements)
    ]
    draw_panels(panels, path, "Learning from examples in the prompt, weights frozen")


def _lines(results: Results, name: str, family: str, color: int) -> list[PlotLine]:
    places = [float(shots) for shots in SHOTS]
    right = [accuracies(results, name, shots, RIGHT, family) for shots in SHOTS]
    wrong = accuracies(results, name, MOST, control_of(results, name), family)
    return [
        PlotLine(family, places, right, color),
        PlotLine("", [places[0], places[-1]], [right[0], wrong], color, dashed=True),
    ]


EXPERIMENT = Experiment(
    name="in-context",
    title="Learning from examples in the prompt",
    hypotheses=(CLAIM, PUBLISHED),
    options=InContextOptions,
    measure=measure,
    draw=draw,
    seeds=tuple(range(11, 17)),
    quick_seeds=tuple(range(11, 16)),
)
