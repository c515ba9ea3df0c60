"""Test scores of a fine-tuned run: a classifier or a translator."""

from dragoman.data.corpus.held_out_labeled import load_held_out_labeled
from dragoman.data.formats.pair import Pair
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.lab.experiments.pretraining_pays.data import Gathered
from dragoman.lab.results import Measurement
from dragoman.tasks.text_classification.classifier import Classifier
from dragoman.tasks.text_classification.evaluate import score_classes
from dragoman.tasks.translation.bare_translator import BareTranslator
from dragoman.tasks.translation.evaluate import score_translations

NEW_PARTS = ("pooler", "classes_head")


def classifier_scores(folder: RunFolder) -> Measurement:
    """Judge a classifier on its test set, and count what fine-tuning has added to it."""
    held_out = load_held_out_labeled(folder.data)
    classifier = Classifier.load(folder.path)
    found = score_classes(classifier, held_out.test, "test", held_out.classes)
    weights = {name: weight.numel() for name, weight in classifier.model.named_parameters()}
    new = sum(size for name, size in weights.items() if name.startswith(NEW_PARTS))
    return {
        "parameters": sum(weights.values()),
        "new": new,
        "tested": found.texts,
        "accuracy": 100 * found.accuracy,
        "macro_f1": 100 * found.whole.macro_f1,
        "majority": 100 * found.baseline.accuracy,
    }


def translator_scores(folder: RunFolder, files: Gathered) -> Measurement:
    """Judge a translator on the test pairs."""
    translator = BareTranslator.load(folder.path)
    lines = files.test.read_text(encoding="utf-8").splitlines()
    pairs = [Pair(*line.split("\t")) for line in lines]
    found = score_translations(translator, pairs, "test", beam=1, metrics=("bleu", "chrf"))
    return {
        "parameters": sum(weight.numel() for weight in translator.model.parameters()),
        "new": 0,
        "tested": len(pairs),
        "bleu": found.scores["bleu"].value,
        "chrf": found.scores["chrf"].value,
        "exact": found.exact,
    }
