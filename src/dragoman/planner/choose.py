"""Choosing a network and its training for a corpus and the time there is.

The rules were chosen by validation scores in the sweeps of docs/concepts/sweeps.md. Each setting
comes with the reason that `dragoman new` writes above it.
"""

from bisect import bisect_right
from dataclasses import dataclass
from typing import Any, TypeVar

from dragoman.config.batches import BatchSettings
from dragoman.config.corpus import CorpusSettings
from dragoman.config.reading import recipe_from_tree
from dragoman.config.recipe import Recipe
from dragoman.core.duration import written
from dragoman.planner.facts import CorpusFacts
from dragoman.planner.measure import Speed

TRAINED = 0.92
"""Share of the time that steps may take; the rest is for reading, validating and storing."""

CHARACTERS_OF_A_TOKEN = 3.5
LONGEST = BatchSettings().max_length
SYMBOLS = 0.1
MOST_EPOCHS = 60
"""Passes over the corpus after which more of them only learn it by heart."""


Number = TypeVar("Number", int, float)


@dataclass(frozen=True)
class RecipeChoice:
    """A recipe's values by section, and for each of them the reason."""

    tree: dict[str, dict[str, Any]]
    reasons: dict[str, str]
    """By section and key: `model.width`."""

    def recipe(self, name: str, corpus: CorpusSettings) -> Recipe:
        """Make it a recipe, all its rules checked."""
        sections = {section: dict(values) for section, values in self.tree.items()}
        return recipe_from_tree({"name": name, "corpus": corpus, **sections}, "dragoman new")

    def take(self, key: str, value: object, reason: str) -> None:
        """Set a value and say why."""
        section, name = key.split(".")
        self.tree.setdefault(section, {})[name] = value
        self.reasons[key] = reason


def choose(facts: CorpusFacts, threads: int, *, exportable: bool = False) -> RecipeChoice:
    """Choose everything but the number of steps, which needs a look at the speed.

    What is `exportable` has only settings that CTranslate2 and transformers can hold.
    """
    chosen = RecipeChoice({}, {})
    _choose_text(chosen, facts)
    width = _choose_network(chosen, facts, exportable)
    _choose_steps(chosen, width)
    if threads:
        chosen.take("training.threads", threads, "As asked.")
    return chosen


def with_length(chosen: RecipeChoice, facts: CorpusFacts, speed: Speed) -> RecipeChoice:
    """Add the length of training, now that the speed of a step is known."""
    affordable = max(20, int(TRAINED * facts.seconds / speed.seconds))
    epoch = max(1, round(speed.steps_per_epoch))
    steps = min(affordable, MOST_EPOCHS * epoch)
    done = RecipeChoice(
        {name: dict(values) for name, values in chosen.tree.items()}, {**chosen.reasons}
    )
    why = f"{speed.seconds:.3f} s each on this machine: {written(steps * speed.seconds)} of steps"
    if steps < affordable:
        why += f";\n{MOST_EPOCHS} passes over the corpus are enough"
    passes = f"{steps / epoch:.1f} passes over the corpus"
    done.take("training.steps", steps, f"{why}, {passes}.")
    dropout = _by(steps / epoch, {0: 0.0, 2: 0.1, 10: 0.2, 25: 0.3})
    done.take("model.dropout", dropout, "By the passes: what is seen often is learned by heart.")
    done.take("schedule.warmup_steps", max(1, steps // 30), "The first 3 % of the steps.")
    looks = _looks(facts.seconds)
    done.take(
        "training.validate_every", -(-steps // looks), f"{looks} looks at unseen text on the way."
    )
    done.take("training.checkpoint_every", -(-steps // looks), "At each of them.")
    sentences = 500 if facts.seconds >= 1200 else 200
    done.take("training.validation_sentences", sentences, "Enough to see progress, soon done.")
    return done


def _choose_text(chosen: RecipeChoice, facts: CorpusFacts) -> None:
    size = _by(facts.pairs, {0: 1000, 2000: 2000, 8000: 4000, 80_000: 8000})
    size = max(size, _hundreds(292 + 2 * facts.letters))
    chosen.take(
        "tokenizer.vocab_size",
        size,
        f"For {facts.pairs:,} pairs: each piece must be met often enough to be learned.",
    )
    tokens = facts.characters / CHARACTERS_OF_A_TOKEN
    chosen.take(
        "batches.max_tokens",
        max(400, _hundreds(round(12 * tokens))),
        "Many small steps learn faster than few large ones; a dozen sentences at least.",
    )
    chosen.take(
        "augmentation.symbols",
        SYMBOLS,
        "Pairs that are seen with symbols for `%s`, {name}, addresses or a shared word,\n"
        "so that `translate` can keep such things in files.",
    )
    if facts.longest_characters > 2 * LONGEST:
        chosen.take(
            "batches.max_length",
            min(1024, _hundreds(facts.longest_characters // 2)),
            f"One pair in a hundred has more than {facts.longest_characters:,} characters.",
        )


def _choose_network(chosen: RecipeChoice, facts: CorpusFacts, exportable: bool) -> int:
    """Choose the network; return its width."""
    width = _by(facts.core_minutes, {0: 128, 8: 192, 60: 256, 240: 384})
    most = _by(facts.pairs, {0: 128, 8000: 192, 40_000: 256, 200_000: 512})
    fits = _by(facts.memory, {0: 192, 2: 256, 4: 512})
    width = min(width, most, fits)
    chosen.take(
        "model.width",
        width,
        f"As wide as {written(facts.seconds)} on {_count(facts.cores, 'core')}, {facts.pairs:,} "
        f"pairs and {facts.memory:.0f} GiB allow.",
    )
    chosen.take("model.heads", width // 48 if width % 48 == 0 else width // 32, "Of 32 or 48 each.")
    chosen.take("model.encoder_layers", 4, "A deep encoder and a shallow decoder:")
    chosen.take("model.decoder_layers", 2, "about as good as equal shares, and faster in use.")
    chosen.take("model.ffn_width", 4 * width, "Four times the width.")
    if exportable:
        why = "CTranslate2 and transformers know these; relative ones would learn faster."
        chosen.take("model.positions", "sinusoidal-halves", why)
    else:
        why = "Attention knows offsets, and begins near the diagonal."
        chosen.take("model.positions", "relative", why)
    chosen.take(
        "model.initialization", "dictionary", "Begins with a dictionary counted from the pairs."
    )
    return width


def _choose_steps(chosen: RecipeChoice, width: int) -> None:
    rate = 5e-3 if width <= 128 else 2.5e-3
    why = "High, and higher for narrow networks: the schedule brings it down to nothing in time."
    chosen.take("optimizer.learning_rate", rate, why)
    chosen.take("schedule.kind", "cosine", "Falls to zero with the last step.")


def _by(value: float, table: dict[int, Number]) -> Number:
    """Return the entry of the highest bound that the value reaches."""
    bounds = sorted(table)
    return table[bounds[bisect_right(bounds, value) - 1]]


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _hundreds(number: int) -> int:
    return -(-number // 100) * 100


def _looks(seconds: float) -> int:
    return min(12, max(3, round(seconds / 150)))
