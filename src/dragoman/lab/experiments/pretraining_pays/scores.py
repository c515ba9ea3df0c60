"""Test scores of a fine-tuned classifier."""

from dragoman.data.corpus.held_out_labeled import load_held_out_labeled
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.lab.results import Measurement
from dragoman.tasks.text_classification.classifier import Classifier
from dragoman.tasks.text_classification.evaluate import score_classes

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
