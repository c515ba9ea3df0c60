"""Quality estimation: the probability that chrF of a sentence is at least 60, without a reference.

A logistic regression on a few numbers that cost nothing: what the search has said of its own output
and what can be counted in the two texts. It is fitted on validation pairs, whose references say
which translations were good, and kept as `confidence.json` in the run folder. Where nearly all were
good, sentences with pseudo-words show it what a bad translation looks like.
"""

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from dragoman.core.bounded_read import read_bounded
from dragoman.core.checksums import LARGEST, check_seal, seal
from dragoman.core.errors import RunError
from dragoman.core.files import write_atomic
from dragoman.data.formats.placeholders import split_tags
from dragoman.data.tokenizer.pair import TokenizerPair
from dragoman.data.tokenizer.special_tokens import FIRST_BYTE, FIRST_PIECE
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.metrics.chrf import sentence_chrf
from dragoman.metrics.logistic import Logistic, center_bias, fit_by_folds
from dragoman.pipeline.text_warnings import TextWarning
from dragoman.tasks.translation.translation import Translation

FORMAT, VERSION = "dragoman-confidence", 1
GOOD = 60.0
"""chrF from which on a translation counts as good."""

FEWEST = 10
"""Pairs without which nothing is fitted."""

UNUSUAL = 0.01
"""The share of the validation pairs whose confidence is lower than that of usual text."""

LIKELY = 0.5
"""A translation that is more likely good than bad is never warned of."""

BAD = 0.1
"""The share of bad translations among its examples from which on it learns what they look like."""

FEATURES = (
    "log_probability_per_token",
    "log_probability",
    "log_source_tokens",
    "log_target_tokens",
    "log_ratio_of_tokens",
    "log_ratio_of_characters",
    "copied_words",
    "strange_pieces",
    "source_tokens_per_word",
    "target_tokens_per_word",
    "unmet_terms",
)
"""What is looked at, in the order of the regression's numbers."""


def features(source: str, translation: Translation, tokenizer: TokenizerPair) -> list[float]:
    """Return the numbers that speak for or against a translation, as `FEATURES` names them.

    A strange piece is a part of the source that the vocabulary has no entry for, and spells in
    bytes or does not know.
    """
    bare = split_tags(source)[1]
    pieces = tokenizer.encode_source(source)
    tokens = translation.tokens or tokenizer.target.encode(translation.text)
    read, written = len(pieces) + 1, len(tokens) + 1  # END counts
    words, found = bare.casefold().split(), translation.text.casefold().split()
    have = set(found)
    strange = sum(
        piece == tokenizer.source.unknown or FIRST_BYTE <= piece < FIRST_PIECE for piece in pieces
    )
    return [
        translation.log_probability / written,
        translation.log_probability,
        math.log(read),
        math.log(written),
        math.log(written / read),
        math.log((len(translation.text) + 1) / (len(bare) + 1)),
        sum(word in have for word in words) / max(len(words), 1),
        strange / max(len(pieces), 1),
        read / max(len(words), 1),
        written / max(len(found), 1),
        float(translation.unmet),
    ]


@dataclass(frozen=True)
class CalibrationResult:
    """The calibration of the confidence on one test set."""

    pairs: int
    good: float
    """Share of the translations that were good."""

    error: float
    """Expected calibration error."""

    by_chance: float
    """The error that true probabilities would show on as many pairs, by chance alone."""

    brier: float
    bins: tuple[dict[str, float], ...]
    """The reliability curve: count, said, came, low, high."""


@dataclass(frozen=True)
class Confidence:
    """Says how likely a translation is to be good."""

    tokenizer: TokenizerPair
    regression: Logistic
    pairs: int
    """Validation pairs that it was fitted on."""
    usual: float = 0.0
    """The confidence that all but one of a hundred of these pairs reach, at most 0.5."""

    @classmethod
    def fit(
        cls,
        tokenizer: TokenizerPair,
        sources: Sequence[str],
        translations: Sequence[Translation],
        good: Sequence[bool],
        unknown: Sequence[tuple[str, Translation]] = (),
    ) -> "Confidence":
        """Learn from translations of which it is known whether they are good.

        Those of `unknown` are of sentences with pseudo-words, and so bad. They say what to doubt,
        not how often: the mean probability stays that of the others.
        """
        rows = [
            features(source, one, tokenizer)
            for source, one in zip(sources, translations, strict=True)
        ]
        if len(rows) < FEWEST:
            raise RunError(
                f"confidence: {len(rows)} validation pairs are too few to learn from; "
                f"{FEWEST} is the least. Hold out more with corpus.held_out."
            )
        bad = [features(source, one, tokenizer) for source, one in unknown]
        regression = fit_by_folds(rows + bad, [*good, *(False for _ in bad)])
        if bad:
            regression = center_bias(regression, rows, good)
        said = sorted(map(float, regression.probabilities(rows)))
        usual = min(LIKELY, said[int(UNUSUAL * len(said))])
        return cls(tokenizer, regression, len(rows), usual)

    def of(self, source: str, translation: Translation) -> float:
        """Return the probability that a translation is good; nothing for something never is."""
        if not split_tags(source)[1].strip():
            return 1.0
        if not translation.text.strip():
            return 0.0
        row = features(source, translation, self.tokenizer)
        if not all(map(math.isfinite, row)):
            return 0.0
        return float(self.regression.probabilities([row])[0])

    def warning(self, source: str, translation: Translation) -> TextWarning | None:
        """Return a warning where the network is less sure than of its validation pairs."""
        if not self.usual or self.of(source, translation) >= self.usual:
            return None
        return TextWarning("domain", "the model is less sure of it than of 99 in 100 of its own")

    def save(self, folder: RunFolder, checked: dict[str, CalibrationResult] | None = None) -> None:
        """Write confidence.json in one step, with how it fared on test sets."""
        record = {
            "format": FORMAT,
            "version": VERSION,
            "good": GOOD,
            "pairs": self.pairs,
            "usual": self.usual,
            "features": list(FEATURES),
            "regression": asdict(self.regression),
            "checked": {name: asdict(one) for name, one in (checked or {}).items()},
        }
        write_atomic(folder.confidence, json.dumps(seal(record), indent=1) + "\n")

    @classmethod
    def load(cls, folder: RunFolder, tokenizer: TokenizerPair | None = None) -> "Confidence":
        """Read what `save` wrote; a file that is missing or damaged gives a RunError."""
        path = folder.confidence
        if not path.is_file():
            raise RunError(
                f"{path}: there is none. `dragoman evaluate {folder.path} --confidence` makes it."
            )
        try:
            record = json.loads(read_bounded(path, LARGEST))
            check_seal(record)
            regression, pairs = _regression(record), record["pairs"]
            if type(pairs) is not int or pairs < FEWEST:
                raise ValueError(f"it was fitted on {pairs!r} pairs")
            (usual,) = _numbers([record.get("usual", 0.0)], 1)
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise RunError(
                f"{path}: cannot be used ({error}). "
                f"`dragoman evaluate {folder.path} --confidence` makes it anew."
            ) from None
        return cls(tokenizer or TokenizerPair.load(folder.tokenizer), regression, pairs, usual)


def missing(good: Sequence[bool]) -> int:
    """Return how many bad translations are missing for these to be `BAD` of all examples."""
    bad = sum(not one for one in good)
    return max(0, math.ceil((BAD * len(good) - bad) / (1 - BAD)))


def are_good(texts: Sequence[str], references: Sequence[str]) -> list[bool]:
    """Say which translations are as like their references as a good one is."""
    return [
        sentence_chrf(text, reference) >= GOOD
        for text, reference in zip(texts, references, strict=True)
    ]


def _regression(record: Any) -> Logistic:
    """Return the regression of a record, every number of which is checked."""
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise ValueError(f"its format is not {FORMAT!r}")
    if record.get("version") != VERSION:
        raise ValueError(f"version {record.get('version')!r}, where {VERSION} is known")
    if record.get("features") != list(FEATURES) or record.get("good") != GOOD:
        raise ValueError("it looks at other things than this version of dragoman")
    stored = record["regression"]
    if not isinstance(stored, dict) or set(stored) != {field.name for field in fields(Logistic)}:
        raise ValueError("its regression is not whole")
    lists = {name: _numbers(stored[name]) for name in ("means", "deviations", "weights")}
    single = _numbers([stored["bias"], stored["strength"]], 2)
    if min(lists["deviations"]) <= 0:
        raise ValueError("a deviation is not above 0")
    return Logistic(
        lists["means"], lists["deviations"], lists["weights"], bias=single[0], strength=single[1]
    )


def _numbers(values: Any, count: int = len(FEATURES)) -> tuple[float, ...]:
    if not isinstance(values, list) or len(values) != count:
        raise ValueError(f"it should hold {count} numbers where it does not")
    if not all(type(one) in (int, float) and math.isfinite(one) for one in values):
        raise ValueError("a number of it is not finite")
    return tuple(map(float, values))
