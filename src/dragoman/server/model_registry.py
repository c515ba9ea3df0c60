"""The model registry: runs that are served, loaded once, found by name or language pair."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dragoman.config.reading import read_recipe
from dragoman.config.serving import ServingSettings
from dragoman.config.task import (
    ClassificationTaskSettings,
    ImageTaskSettings,
    ImageTextTaskSettings,
    LanguageTaskSettings,
    TranslationTaskSettings,
)
from dragoman.core.errors import ConfigError, RunError
from dragoman.data.formats.languages import choose
from dragoman.engine.checkpoint.folder import RunFolder, trained_run
from dragoman.server.language_models import ServedLanguageModel, serve_language_models
from dragoman.server.scheduler.scheduler import Scheduler
from dragoman.server.translators import ServedTranslator, load_translator
from dragoman.tasks.image_classification.classifier import ImageClassifier
from dragoman.tasks.image_text.matcher import Matcher
from dragoman.tasks.text_classification.classifier import Classifier


@dataclass(frozen=True)
class ServedRun:
    """A run in the model registry."""

    name: str
    folder: RunFolder


@dataclass(frozen=True)
class ServedClassifier(ServedRun):
    """A text classifier."""

    classifier: Classifier


@dataclass(frozen=True)
class ServedImageClassifier(ServedRun):
    """An image classifier."""

    classifier: ImageClassifier


@dataclass(frozen=True)
class ServedMatcher(ServedRun):
    """A network that embeds texts and images in one space."""

    matcher: Matcher


@dataclass
class ModelRegistry:
    """The models that are served, by kind and name, in the order of the command line."""

    translators: dict[str, ServedTranslator] = field(default_factory=dict)
    language_models: dict[str, ServedLanguageModel] = field(default_factory=dict)
    classifiers: dict[str, ServedClassifier] = field(default_factory=dict)
    image_classifiers: dict[str, ServedImageClassifier] = field(default_factory=dict)
    matchers: dict[str, ServedMatcher] = field(default_factory=dict)

    @property
    def folders(self) -> list[RunFolder]:
        """The folders of all runs that are served."""
        kinds = (self.translators, self.language_models, self.classifiers)
        some = (self.image_classifiers, self.matchers)
        return [one.folder for kind in (*kinds, *some) for one in kind.values()]

    def sources(self) -> dict[str, list[str]]:
        """Return the source languages, each with its target languages."""
        found: dict[str, list[str]] = {}
        for one in self.translators.values():
            for source, target in one.directions:
                targets = found.setdefault(source, [])
                targets += [] if target in targets else [target]
        return found

    def between(self, source: str, target: str) -> tuple[ServedTranslator, str] | None:
        """Find a translator between two languages, and its own name of the target language."""
        for one in self.translators.values():
            sources = dict.fromkeys(pair[0] for pair in one.directions)
            read = choose(source, list(sources))
            written = choose(target, [pair[1] for pair in one.directions if pair[0] == read])
            if read is not None and written is not None:
                return one, written
        return None


def load_models(
    runs: Sequence[Path], scheduler: Scheduler, settings: ServingSettings
) -> ModelRegistry:
    """Load runs of any kind; what cannot be served is refused before anything listens."""
    models = ModelRegistry()
    names: set[str] = set()
    language_runs: dict[str, RunFolder] = {}
    for path in runs:
        folder, name = trained_run(path), path.resolve().name
        if name in names:
            raise ConfigError(f"{path}: another run that is named is called {name}, too.")
        names.add(name)
        task = read_recipe(folder.recipe).task
        match task:
            case TranslationTaskSettings():
                models.translators[name] = load_translator(name, folder, scheduler, settings)
            case LanguageTaskSettings():
                language_runs[name] = folder  # loaded together, for adapters share their base
            case ClassificationTaskSettings():
                classifier = Classifier.load(folder.path)
                models.classifiers[name] = ServedClassifier(name, folder, classifier)
            case ImageTaskSettings():
                images = ImageClassifier.load(folder.path)
                models.image_classifiers[name] = ServedImageClassifier(name, folder, images)
            case ImageTextTaskSettings():
                models.matchers[name] = ServedMatcher(name, folder, Matcher.load(folder.path))
            case _:  # a new task needs nothing here until it is served
                raise RunError(
                    f"{path}: was trained for {task.kind!r}, which is not served. Translators, "
                    "language models, classifiers and networks for matching are."
                )
    models.language_models = serve_language_models(language_runs, scheduler, settings)
    return models
