"""English to Pig Latin, letter by letter: five runs of the notes, and what they leave open.

The notes compare models that differ in layers, epochs and batches, each once and on words of its
own. Here every run is repeated with several seeds, the two lists share their unseen words, and a
pair of models has equal parameters, on Pig Latin and on a harder task.
"""

from pathlib import Path

from dragoman.config.decoder_only import DecoderOnlySettings
from dragoman.config.settings import Settings
from dragoman.config.transformer import TransformerSettings
from dragoman.lab.experiment import Experiment, Result, ResultTable, Size
from dragoman.lab.experiments.pig_latin.data import Words, gather_words
from dragoman.lab.experiments.pig_latin.training import PigLatinTrial, train_trial
from dragoman.lab.experiments.pig_latin.verdicts import CLAIMS, decide
from dragoman.lab.results import Measurement, Results, figures, names, spread_of
from dragoman.lab.runner import TrialRunner
from dragoman.plots.lab import Panel, PlotLine, by_place, draw_panels

LITERATURE = {
    "h32-small": ("0.963", "0.813–0.990"),
    "h32-large": ("lost", "0.585–1.441"),
    "h64-small": ("0.417", "0.380–0.575"),
    "h64-large": ("lost", "0.254–0.651"),
    "decoder-only": ("0.428", "0.358"),
}
"""The literature's loss by run: in the notes, and in public runs of the same set-up."""

QUICK_EPOCHS = {"small": 6, "large": 3}

NOTE = (
    "Losses are nats per letter, of the weights that validated best; ± is the deviation over "
    "seeds. By batch is the literature's validation loss, the plain mean over batches of one "
    "length each; by letter counts every letter once. Exact is the share of unseen words that "
    "greedy search gets right. The notes and the public runs had other words: their figures are "
    "for orientation. Hard means writing a word backwards and then its letters in order."
)


class PigLatinOptions(Settings):
    """The options of this subject."""

    words: Path | None = None
    """Your own words, one on each line; the first seventh is the small list."""


def encoder_decoder(width: int, layers: int) -> TransformerSettings:
    """Describe the encoder-decoder of the notes: one head, no norm, a single layer to think."""
    return TransformerSettings(
        width=width,
        heads=1,
        encoder_layers=layers,
        decoder_layers=layers,
        ffn_width=width,
        activation="single",
        norm="none",
        output_projection=False,
        output_bias=True,
        tied="none",
        dropout=0.0,
    )


def decoder_only(width: int, layers: int) -> DecoderOnlySettings:
    """Describe the decoder-only model of the notes, which is asked for the target alone."""
    return DecoderOnlySettings(
        width=width,
        heads=1,
        layers=layers,
        ffn_width=width,
        activation="single",
        norm="none",
        output_projection=False,
        output_bias=True,
        tied=False,
        dropout=0.0,
        loss_on="target",
    )


def trials_of(words: str, size: Size, seed: int) -> list[PigLatinTrial]:
    """Return the runs of one seed: the five of the notes, and two pairs of equal parameters."""
    wide, mate = encoder_decoder(64, 4), decoder_only(106, 4)
    small = PigLatinTrial(
        name="h32-small", data="small", words=words, model=encoder_decoder(32, 4),
        epochs=100, patience=100, batch=64, seed=seed,
    )  # fmt: skip
    large = PigLatinTrial(
        name="h32-large", data="large", words=words, model=encoder_decoder(32, 3),
        epochs=100, patience=10, batch=512, seed=seed,
    )  # fmt: skip
    shorter = {"model": encoder_decoder(64, 3), "epochs": 50, "patience": 20}
    pair = small.model_copy(update={"epochs": 50})
    planned = [
        small,
        large,
        small.model_copy(update={"name": "h64-small", **shorter}),
        large.model_copy(update={"name": "h64-large", **shorter}),
        small.model_copy(update={"name": "decoder-only", "model": decoder_only(128, 4)}),
        pair.model_copy(update={"name": "pair-encoder-decoder", "model": wide}),
        pair.model_copy(update={"name": "pair-decoder-only", "model": mate}),
    ]
    harder = {"task": "backwards-and-sorted"}
    planned += [
        one.model_copy(update={"name": one.name.replace("pair", "hard"), **harder})
        for one in planned[-2:]
    ]
    if size == "full":
        return planned
    return [one.model_copy(update={"epochs": QUICK_EPOCHS[one.data]}) for one in planned]


def measure(runner: TrialRunner, options: PigLatinOptions) -> Result:
    """Train every run with every seed."""
    words = gather_words(options.words)
    trials = [run for seed in runner.seeds for run in trials_of(words.checksum, runner.size, seed)]
    results = runner.run(trials, lambda trial, _: train_trial(trial, words))
    return Result(results, decide(results), tables(results, words), summary(results))


def summary(results: Results) -> Measurement:
    """Return mean and deviation of each figure of each run."""
    keys = ("by_batch", "by_letter", "exact", "train_loss", "common_by_letter", "common_exact")
    return {
        name: {
            key: {"mean": found.mean, "deviation": found.deviation}
            for key in keys
            for found in [spread_of(results, name, key)]
        }
        for name in names(results)
    }


def tables(results: Results, words: Words) -> list[ResultTable]:
    """Return the runs on their own held-out words, and those of Pig Latin on common ones."""
    main = ResultTable(
        f"The runs ({len(words.small):,} and {len(words.large):,} words, four fifths to train on)",
        (
            "run", "parameters", "epochs", "best at", "training", "by batch", "by letter",
            "exact %", "seconds", "notes", "public",
        ),
        [_line(results, name) for name in names(results)],
        NOTE,
    )  # fmt: skip
    common = ResultTable(
        "The same unseen words for both lists",
        ("run", "words to train on", "by letter", "exact %"),
        [
            (
                name,
                f"{int(figures(results, name, 'train_words')[0]):,}",
                spread_of(results, name, "common_by_letter").written(),
                spread_of(results, name, "common_exact").written(1),
            )
            for name in names(results)
            if name.startswith("h") and not name.startswith("hard")
        ],
    )
    return [main, common]


def _line(results: Results, name: str) -> tuple[str, ...]:
    def mean(key: str) -> float:
        return spread_of(results, name, key).mean

    losses = (spread_of(results, name, key) for key in ("train_loss", "by_batch", "by_letter"))
    return (
        name,
        f"{int(mean('parameters')):,}",
        f"{mean('epochs_run'):.0f}",
        f"{mean('best_epoch'):.0f}",
        *(found.written() for found in losses),
        spread_of(results, name, "exact").written(1),
        f"{mean('seconds'):.0f}",
        *LITERATURE.get(name, ("", "")),
    )


SHOWN = {
    "the small list": ("h32-small", "h64-small", "decoder-only"),
    "the large list": ("h32-large", "h64-large"),
    "width 32": ("h32-small", "h32-large"),
    "width 64": ("h64-small", "h64-large"),
    "equal parameters: Pig Latin": ("pair-encoder-decoder", "pair-decoder-only"),
    "equal parameters: backwards and sorted": ("hard-encoder-decoder", "hard-decoder-only"),
}
"""The runs of each panel: by list, by width, and the pairs."""


def draw(result: Result, path: Path) -> None:
    """Draw training and validation loss: by list, by width, and for the pairs."""
    draw_panels(panels(result.measurements), path, "Pig Latin: loss in nats per letter")


def panels(results: Results) -> list[Panel]:
    """Return the losses by epoch, side by side; of the runs that there are."""
    there = names(results)
    return [
        Panel(
            f"{title} (dashed: training)",
            [
                _curve(results, name, key, number)
                for number, name in enumerate(drawn)
                for key in ("by_letter_curve", "train_curve")
                if name in there
            ],
            "epoch",
            lowest=0.0,
        )
        for title, drawn in SHOWN.items()
    ]


def _curve(results: Results, name: str, key: str, color: int) -> PlotLine:
    values = by_place([result[key] for result in results if result["name"] == name])
    dashed = key == "train_curve"
    places = [float(epoch) for epoch in range(1, len(values) + 1)]
    return PlotLine("" if dashed else name, places, values, color, dashed)


EXPERIMENT = Experiment(
    name="pig-latin",
    needs=("common-words",),
    title="English to Pig Latin by letters: widths, word lists, with and without an encoder",
    hypotheses=CLAIMS,
    options=PigLatinOptions,
    measure=measure,
    draw=draw,
)
