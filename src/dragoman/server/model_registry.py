"""The model registry: runs that are served, loaded once, found by name or language pair."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dragoman.config.reading import read_recipe
from dragoman.config.serving import ServingSettings
from dragoman.core.errors import ConfigError, RunError
from dragoman.data.formats.languages import choose
from dragoman.engine.checkpoint.folder import RunFolder, trained_run
from dragoman.server.language_models import ServedWriter, serve_writers
from dragoman.server.scheduler.worker_thread import Engine
from dragoman.server.translators import ServedTranslator, load_translator
from dragoman.tasks.image_classification.classifier import ImageClassifier
from dragoman.tasks.image_text.matcher import Matcher
from dragoman.tasks.text_classification.classifier import Classifier


@dataclass(frozen=True)
class ServedRun:
    """A run that is served."""

    name: str
    folder: RunFolder


@dataclass(frozen=True)
class ServedClassifier(ServedRun):
    """A classifier of texts."""

    classifier: Classifier


@dataclass(frozen=True)
class ServedImageClassifier(ServedRun):
    """A classifier of pictures."""

    classifier: ImageClassifier


@dataclass(frozen=True)
class ServedMatcher(ServedRun):
    """A network that knows texts and pictures."""

    matcher: Matcher


@dataclass
class Shelf:
    """All that is served, by kind and name, in the order it was named."""

    translators: dict[str, ServedTranslator] = field(default_factory=dict)
    writers: dict[str, ServedWriter] = field(default_factory=dict)
    classifiers: dict[str, ServedClassifier] = field(default_factory=dict)
    image_classifiers: dict[str, ServedImageClassifier] = field(default_factory=dict)
    matchers: dict[str, ServedMatcher] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """The names of all runs that are served."""
        return [
            *self.translators,
            *self.writers,
            *self.classifiers,
            *self.image_classifiers,
            *self.matchers,
        ]

    def sources(self) -> dict[str, list[str]]:
        """Return the languages that can be read, each with those it can be written in."""
        found: dict[str, list[str]] = {}
        for one in self.translators.values():
            for source, target in one.ways:
                targets = found.setdefault(source, [])
                targets += [] if target in targets else [target]
        return found

    def between(self, source: str, target: str) -> tuple[ServedTranslator, str] | None:
        """Find who translates between two languages, and what it calls the one it writes."""
        for one in self.translators.values():
            sources = dict.fromkeys(way[0] for way in one.ways)
            read = choose(source, list(sources))
            written = choose(target, [way[1] for way in one.ways if way[0] == read])
            if read is not None and written is not None:
                return one, written
        return None


def fill_shelf(runs: Sequence[Path], engine: Engine, settings: ServingSettings) -> Shelf:
    """Load runs of any kind; what cannot be served is refused before anything listens."""
    shelf = Shelf()
    writing: dict[str, RunFolder] = {}
    for path in runs:
        folder = trained_run(path)
        name = path.resolve().name
        if name in (*shelf.names, *writing):
            raise ConfigError(f"{path}: another run that is named is called {name}, too.")
        if read_recipe(folder.recipe).task.kind == "language":
            writing[name] = folder
        else:
            _put(shelf, name, folder, engine, settings)
    shelf.writers = serve_writers(writing, engine, settings)
    return shelf


def _put(
    shelf: Shelf, name: str, folder: RunFolder, engine: Engine, settings: ServingSettings
) -> None:
    kind = read_recipe(folder.recipe).task.kind
    match kind:
        case "translation":
            shelf.translators[name] = load_translator(name, folder, engine, settings)
        case "classification":
            shelf.classifiers[name] = ServedClassifier(name, folder, Classifier.load(folder.path))
        case "images":
            classifier = ImageClassifier.load(folder.path)
            shelf.image_classifiers[name] = ServedImageClassifier(name, folder, classifier)
        case "image-text":
            shelf.matchers[name] = ServedMatcher(name, folder, Matcher.load(folder.path))
        case _:
            raise RunError(
                f"{folder.path}: was trained for {kind!r}, which is not served. Translators, "
                "language models, classifiers and networks for matching are."
            )
