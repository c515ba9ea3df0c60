"""What back-translation, both directions in one model, augmentation and ensembles give.

    python benchmarks/extras.py CORPUS.tsv --pairs 14000 --minutes 2 --output extras.jsonl

A few pairs of a larger corpus are all that there is to train on; of the others only the targets are
taken, as text in one language. Every run is `dragoman new`'s own recipe with its [corpus] or
[augmentation] changed, on one core for the stated core-minutes. The test set is scored once for
each run, greedily; nothing is chosen by it. "plain" at the same and at the double time stand beside
the others, for work that is also spent by them.
"""

import argparse
import json
import random
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from core_minutes import CPU, Training

from dragoman.config.augmentation import AugmentationSettings
from dragoman.config.corpus import FilesCorpus
from dragoman.config.recipe import Recipe
from dragoman.data.batching.augmentation import typos
from dragoman.metrics.scores import score
from dragoman.planner.choose import TRAINED
from dragoman.planner.new import new
from dragoman.tasks.translation.bare_translator import BareTranslator

Pairs = list[tuple[str, str]]
TextScore = tuple[list[str], list[str]]
"""What a model wrote, and what it should have written."""

AUGMENTED = AugmentationSettings(upper=0.05, title=0.05, typos=0.1, punctuation=0.05)
MARK = {"source_language": "en", "target_language": "es"}


class Trial:
    """A small corpus, the text in one language beside it, and the runs on them."""

    def __init__(
        self, folder: Path, pairs: Pairs, spoken: list[str], asked: argparse.Namespace
    ) -> None:
        self.folder, self.asked = folder, asked
        self.held_out = {"valid": pairs[:1000], "test": pairs[1000:2000]}
        self.spoken = spoken
        self.made: dict[tuple[str, float], Recipe] = {}
        for name, part in {**self.held_out, "train": pairs[2000:]}.items():
            self._write(f"{name}.tsv", ["\t".join(pair) for pair in part])
            self._write(f"{name}-back.tsv", ["\t".join(pair[::-1]) for pair in part])

    def _write(self, name: str, lines: Sequence[str]) -> Path:
        path = self.folder / name
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return path

    def corpus(self, ending: str = "") -> FilesCorpus:
        """Return the small corpus, forward or back."""
        files = {part: (self.folder / f"{part}{ending}.tsv",) for part in ("train", *self.held_out)}
        names = MARK if not ending else dict(zip(MARK, reversed(MARK.values()), strict=True))
        return FilesCorpus(**files, **names, seed=1, examine=False)

    def recipe(self, corpus: FilesCorpus, minutes: float, seed: int) -> Recipe:
        """Return what `new` writes for the small corpus, on another form of it."""
        way = "" if corpus.source_language == "en" else "-back"
        if (way, minutes) not in self.made:
            told = new("extras", self.corpus(way), minutes * 60 / TRAINED, threads=1)
            self.made[way, minutes] = told.recipe
        return self.made[way, minutes].model_copy(update={"corpus": corpus, "seed": seed})

    def train(self, recipe: Recipe, minutes: float) -> Training:
        """Train for so many core-minutes."""
        with tempfile.TemporaryDirectory() as run:
            training = Training(recipe, Path(run))
            training.train(minutes, lambda: None)
        return training

    def tell(self, name: str, training: Training, seed: int, outputs: dict[str, TextScore]) -> None:
        """Write one row for each set of outputs."""
        for way, (found, wanted) in outputs.items():
            got = score(found, [wanted], metrics=("bleu", "chrf"))
            row = {
                "run": name,
                "test": way,
                "seed": seed,
                "minutes": round(training.watch.minutes, 2),
                "bleu": round(got["bleu"].value, 2),
                "chrf": round(got["chrf"].value, 2),
                "pairs": len(training.ready.store),
                "signature": got["bleu"].signature,
            }
            print(json.dumps(row, ensure_ascii=False), flush=True)
            with self.asked.output.open("a", encoding="utf-8") as out:
                out.write(json.dumps(row, ensure_ascii=False) + "\n")

    def forward(self, training: Training) -> TextScore:
        """Translate the test set from source to target."""
        read, wanted = zip(*self.held_out["test"], strict=True)
        return training.translate(list(read), 1), list(wanted)

    def back_translate(self, training: Training) -> Path:
        """Let a model of the other direction write sources for the text in one language."""
        began = time.process_time()
        made = training.translate(self.spoken, 1)
        minutes = (time.process_time() - began) / 60
        print(f"back-translated {len(made):,} sentences in {minutes:.2f} core-minutes", flush=True)
        both = zip(made, self.spoken, strict=True)
        return self._write("made.tsv", [f"{source}\t{target}" for source, target in both if source])


def rough(trial: Trial, training: Training) -> dict[str, TextScore]:
    """Translate the test set as it stands, in capitals, and mistyped."""
    read, wanted = map(list, zip(*trial.held_out["test"], strict=True))
    chance = np.random.default_rng(5)
    mistyped = [typos(text, "", chance)[0] for text in read]
    return {
        "as it stands": trial.forward(training),
        "CAPITALS": (
            training.translate([text.upper() for text in read], 1),
            [text.upper() for text in wanted],
        ),
        "mistyped": (training.translate(mistyped, 1), wanted),
    }


def together(first: Training, second: Training, texts: list[str]) -> list[str]:
    """Translate with two networks as one."""
    both = BareTranslator(
        first.model.eval(),
        first.ready.tokenizer,
        first.recipe.decoding,
        longest=first.ready.longest_source,
        device=CPU,
        corpus=first.recipe.corpus,
        also=[second.model.eval()],
    )
    return both.translate(texts, beam=1)


def study(trial: Trial, minutes: float) -> None:
    """Make the runs one after the other."""
    plain = trial.corpus()
    trained = []
    for seed in (1, 2):
        training = trial.train(trial.recipe(plain, minutes, seed), minutes)
        trial.tell("plain", training, seed, rough(trial, training))
        trained.append(training)
    found = together(*trained, [source for source, _ in trial.held_out["test"]])
    wanted = [target for _, target in trial.held_out["test"]]
    trial.tell("ensemble of the two", trained[0], 0, {"as it stands": (found, wanted)})
    del trained

    for seed in (1, 2):
        recipe = trial.recipe(plain, minutes, seed).model_copy(update={"augmentation": AUGMENTED})
        training = trial.train(recipe, minutes)
        trial.tell("augmented", training, seed, rough(trial, training))

    back = trial.train(trial.recipe(trial.corpus("-back"), minutes, 1), minutes)
    read, wanted = map(list, zip(*trial.held_out["test"], strict=True))
    trial.tell("plain, other direction", back, 1, {"back": (back.translate(wanted, 1), read)})
    made = trial.back_translate(back)
    del back
    longer = 2 * minutes
    for seed in (1, 2):
        training = trial.train(trial.recipe(plain, longer, seed), longer)
        trial.tell("plain, double time", training, seed, {"as it stands": trial.forward(training)})
        for name, mark in (("back-translated text", False), ("the same, marked", True)):
            corpus = plain.model_copy(update={"extra": (made,), "tag_extra": mark})
            training = trial.train(trial.recipe(corpus, longer, seed), longer)
            trial.tell(name, training, seed, {"as it stands": trial.forward(training)})
        corpus = plain.model_copy(update={"both_ways": True})
        training = trial.train(trial.recipe(corpus, longer, seed), longer)
        ways = {"as it stands": to(training, read, "es", wanted)}
        trial.tell("both ways", training, seed, {**ways, "back": to(training, wanted, "en", read)})


def to(training: Training, texts: list[str], language: str, wanted: list[str]) -> TextScore:
    """Translate into one of a model's two languages."""
    translator = BareTranslator(
        training.model.eval(),
        training.ready.tokenizer,
        training.recipe.decoding,
        longest=training.ready.longest_source,
        device=CPU,
        corpus=training.recipe.corpus,
    )
    return translator.translate(texts, beam=1, to=language), wanted


def main() -> None:
    """Draw the small corpus and study it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus", type=Path, help="a TSV of at least twice as many pairs")
    parser.add_argument("--pairs", type=int, default=14_000, help="with 2,000 held out of them")
    parser.add_argument("--sentences", type=int, default=20_000, help="text in one language")
    parser.add_argument("--minutes", type=float, default=2)
    parser.add_argument("--output", type=Path, default=Path("extras.jsonl"))
    asked = parser.parse_args()
    lines = asked.corpus.read_text(encoding="utf-8").splitlines()
    random.Random(1).shuffle(lines)
    pairs = [(source, target) for source, target, *_ in (line.split("\t") for line in lines)]
    known = {target for _, target in pairs[: asked.pairs]}
    others = dict.fromkeys(target for _, target in pairs[asked.pairs :] if target not in known)
    with tempfile.TemporaryDirectory() as folder:
        spoken = list(others)[: asked.sentences]
        study(Trial(Path(folder), pairs[: asked.pairs], spoken, asked), asked.minutes)


if __name__ == "__main__":
    main()
