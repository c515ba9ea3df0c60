"""How runs of each kind are used and judged, and what comes of it as plain values."""

import json
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from dragoman.config.reading import read_recipe
from dragoman.config.sampling import SamplingSettings
from dragoman.config.task import SpansTaskSettings
from dragoman.engine.build import build_model
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.engine.checkpoint.load import load_run
from dragoman.tasks.autoencoding.evaluate import evaluate_reconstruction
from dragoman.tasks.autoencoding.reconstructor import Reconstructor
from dragoman.tasks.common.image_preparation import images_to_test
from dragoman.tasks.common.text_preparation import documents_to_test
from dragoman.tasks.image_classification.classifier import ImageClassifier
from dragoman.tasks.image_classification.evaluate import evaluate_images
from dragoman.tasks.image_text.evaluate import evaluate_matches
from dragoman.tasks.image_text.evaluate import images_to_test as captioned_to_test
from dragoman.tasks.image_text.matcher import Matcher
from dragoman.tasks.language_model.evaluate import evaluate_texts
from dragoman.tasks.language_model.language_model import LanguageModel
from dragoman.tasks.masked_lm.evaluate import evaluate_masked
from dragoman.tasks.masked_lm.masked_language_model import MaskedLanguageModel
from dragoman.tasks.span_corruption.evaluate import evaluate_spans, span_batches, write_spans
from dragoman.tasks.text_classification.classifier import Classifier
from dragoman.tasks.text_classification.evaluate import evaluate_classes, rows_to_test
from dragoman.tasks.translation.bare_translator import BareTranslator
from dragoman.tasks.translation.evaluate import evaluate, sets_to_test
from dragoman.trainer import train

PLACE = "@FOLDER@"
"""What stands in a stored run for the folder it lies in."""

MORE = 4
"""Steps by which a stored run goes on."""

GREEDY = SamplingSettings(temperature=0.0, max_tokens=12)


class Use(NamedTuple):
    """What a run of one kind is for."""

    outputs: Callable[[Path], Any]
    """What it makes of some inputs; the folder is only read."""
    figures: Callable[[Path], list[float]]
    """How well it does on its test set; the folder is written to."""


def translations(run, to=None):
    tests = sets_to_test(RunFolder(run))
    sources = [pair.source for pairs in tests.values() for pair in pairs[:3]]
    found = BareTranslator.load(run).candidates([*sources, "fish song. sky red"], to=to)
    return [[best[0].text, best[0].log_probability] for best in found]


def continuations(run):
    return written_by(LanguageModel.load(run))


def written_by(writer):
    scored = writer.score(["one two three four", "nine seven five", "zero"])
    written = writer.generate(["one two", "six seven eight", ""], GREEDY)
    return [written, [one.total for one in scored]]


def fillings(run):
    filler = MaskedLanguageModel.load(run)
    guesses = [
        [[guess.word, guess.probability] for guess in best]
        for text in ("on red ___ the cat eats fish", "on blue tuesday the ___ gnaws ___")
        for best in filler.fill(text, top=3)
    ]
    scored = filler.score(["on red monday the owl hunts mice", "the cat chews nectar"])
    return [guesses, [one.total for one in scored]]


def restored(run):
    loaded, (documents,) = load_run(run, device="cpu"), documents_to_test(run, ()).values()
    recipe, vocabulary = loaded.recipe, loaded.tokenizer
    settings = recipe.model_for(SpansTaskSettings)
    model = loaded.network(lambda: build_model(settings, loaded.tokenizer_pair, recipe.seed))
    batches = span_batches(vocabulary, documents, recipe.task, recipe.batches)
    written = write_spans(model, batches, recipe.decoding, loaded.device)
    return [one.sample(vocabulary) for one in written[:6]]


def classes(run):
    rows = rows_to_test(run)["test"][:6]
    found = Classifier.load(run).classify([row.text for row in rows])
    return [[one.label, one.probabilities] for one in found]


def classes_of_images(run):
    found = ImageClassifier.load(run).classify(images_to_test(run)["test"].images[:6])
    return [[one.label, one.probabilities] for one in found]


def codes(run):
    reconstructor, images = Reconstructor.load(run), images_to_test(run)["test"].images[:3]
    found = reconstructor.encode(images)
    rebuilt = reconstructor.decode_normalized(found)  # b c h w
    return [found.tolist(), rebuilt[:, :, 1::3, 1::3].tolist()]


def ranks(run):
    matcher, images = Matcher.load(run), captioned_to_test(run)["test"].images[:4]
    texts = ["red square", "blue stripes", "green cross", "niilaa top", "laal left"]
    read = matcher.read(texts)
    return [
        [[one.candidate, one.likeness, one.probability] for one in matcher.rank(asked, read, texts)]
        for asked in matcher.see(images)
    ]


def of_translations(run):
    judged = evaluate(run, beam=1, bootstrap=0)
    return [[one.sentences, one.scores["bleu"].value, one.scores["chrf"].value] for one in judged]


def of_texts(run):
    (judged,) = evaluate_texts(run)
    return [judged.tokens, judged.nats_per_token, judged.bits_per_byte]


def of_hidden_words(run):
    (judged,) = evaluate_masked(run)
    return [judged.hidden_words, judged.nats_per_token, judged.accuracy]


def of_spans(run):
    (judged,) = evaluate_spans(run)
    return [judged.spans, judged.nats_per_token, judged.exact_spans]


def of_classes(run):
    (judged,) = evaluate_classes(run)
    return [judged.texts, judged.accuracy, judged.whole.macro_f1]


def of_images(run):
    (judged,) = evaluate_images(run)
    return [judged.texts, judged.accuracy, judged.whole.macro_f1]


def of_rebuilt(run):
    (judged,) = evaluate_reconstruction(run)
    spoilt = judged.spoilt or judged.whole
    return [judged.pictures, judged.whole.network, judged.whole.pca, spoilt.network]


def of_matches(run):
    (judged,) = evaluate_matches(run)
    ways = [way for one in judged.matches for way in (one.to_image, one.to_text)]
    return [judged.images, *(way.median_rank for way in ways)]


TRANSLATING = Use(translations, of_translations)
WRITING = Use(continuations, of_texts)
FILLING = Use(fillings, of_hidden_words)
RESTORING = Use(restored, of_spans)
CLASSIFYING = Use(classes, of_classes)
LOOKING = Use(classes_of_images, of_images)
REBUILDING = Use(codes, of_rebuilt)
MATCHING = Use(ranks, of_matches)

USES = {
    "translation": TRANSLATING,
    "translation-recurrent": TRANSLATING,
    "translation-decoder-only": Use(partial(translations, to="fr"), of_translations),
    "translation-prefix": TRANSLATING,
    "language": WRITING,
    "language-recurrent": WRITING,
    "language-lora": WRITING,
    "masked": FILLING,
    "spans": RESTORING,
    "classification": CLASSIFYING,
    "classification-recurrent": CLASSIFYING,
    "classification-cnn": CLASSIFYING,
    "classification-frozen": CLASSIFYING,
    "images": LOOKING,
    "images-resnet": LOOKING,
    "images-vit": LOOKING,
    "autoencoding": REBUILDING,
    "image-text": MATCHING,
}
"""The stored runs; those of one use differ in their networks, or in what they started from."""


def copied(stored, place):
    """Copy a stored run, and put its own place where that of its maker stood."""
    folder = Path(shutil.copytree(stored, place))
    for path in folder.rglob("*.json"):
        text = path.read_text(encoding="utf-8")
        if PLACE in text:
            path.write_text(text.replace(PLACE, str(folder)), encoding="utf-8")
    return folder


def train_on(run):
    """Train a run a few steps further; return the loss of each."""
    before = read_recipe(run / "recipe.toml").training.steps
    train(
        run / "recipe.toml",
        [f"training.steps={before + MORE}", "training.log_every=1"],
        folder=run,
    )
    rows = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    return {
        row["step"]: row["loss"] for row in rows if row["kind"] == "train" and row["step"] > before
    }
