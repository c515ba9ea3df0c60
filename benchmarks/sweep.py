"""What a choice of `dragoman new` is worth: its recipe with some keys changed, same core-minutes.

    python benchmarks/sweep.py CORPUS.tsv --minutes 4 --output sweep.jsonl \
        "" "model.initialization=xavier" "batches.max_tokens=2048 tokenizer.vocab_size=4000"

Every argument after the corpus is one run: the changes to the recipe, between blanks. Runs are
judged on the validation set (nats per character, which vocabularies share; BLEU and chrF of 500
sentences, greedy). The test set is not looked at.
"""

import argparse
import json
import tempfile
from pathlib import Path

import torch
from core_minutes import CPU, Training

from dragoman.config.batches import BatchSettings
from dragoman.config.corpus import FilesCorpus
from dragoman.config.reading import read_recipe
from dragoman.config.recipe import Recipe
from dragoman.metrics.scores import score
from dragoman.planner.choose import TRAINED
from dragoman.planner.new import new
from dragoman.tasks.translation.prepare import validation_batches

SENTENCES = 500


def run(recipe: Recipe, minutes: float, folder: Path) -> dict[str, float | int]:
    """Train one recipe and judge it on its validation set."""
    training = Training(recipe, folder)
    training.train(minutes, lambda: None)
    spent = training.watch.minutes
    valid = training.ready.valid
    if training.average:
        training.average.swap(training.model)
    training.model.eval()
    nats = 0.0
    batches = validation_batches(training.ready.tokenizer, valid, BatchSettings(max_tokens=2048))
    with torch.inference_mode():
        nats = sum(training.task.loss(batch, CPU).nats.item() for batch in batches)
    if training.average:
        training.average.swap(training.model)
    pairs = valid[:SENTENCES]
    outputs = training.translate([pair.source for pair in pairs], 1)
    found = score(outputs, [[pair.target for pair in pairs]], metrics=("bleu", "chrf"))
    return {
        "minutes": round(spent, 2),
        "nats_per_character": round(nats / sum(len(pair.target) + 1 for pair in valid), 4),
        "bleu": round(found["bleu"].value, 2),
        "chrf": round(found["chrf"].value, 2),
        "target_tokens": training.tokens,
        "parameters": sum(weight.numel() for weight in training.model.parameters()),
    }


def chosen(recipe: Recipe) -> dict[str, float | int]:
    """Return what the recipe says of the things that are swept most."""
    return {
        "seed": recipe.seed,
        "vocabulary": recipe.tokenizer.vocab_size,
        "slots": recipe.batches.max_tokens,
        "width": recipe.model.width,
        "dropout": recipe.model.dropout,
    }


def main() -> None:
    """Run each set of changes after the other."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("changes", nargs="+", help='"" is the recipe as it is')
    parser.add_argument("--minutes", type=float, default=4)
    parser.add_argument("--output", type=Path, default=Path("sweep.jsonl"))
    asked = parser.parse_args()
    corpus = FilesCorpus(train=(asked.corpus.absolute(),), held_out=2000, seed=1, examine=False)
    elsewhere = Path(tempfile.gettempdir()) / "recipe"  # so that the corpus is named in full
    made = new("sweep", corpus, asked.minutes * 60 / TRAINED, threads=1, folder=elsewhere)
    for words in asked.changes:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "recipe.toml"
            path.write_text(made.text, encoding="utf-8")
            recipe = read_recipe(path, words.split())
            found = run(recipe, asked.minutes, Path(folder) / "run")
        row = {"corpus": asked.corpus.name, "changes": words, **chosen(recipe), **found}
        print(json.dumps(row), flush=True)
        with asked.output.open("a", encoding="utf-8") as out:
            out.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
