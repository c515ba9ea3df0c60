"""One word of a sentence is missing, nobody knows where: can its place and the word be found?

Words are taken out of unseen sentences of the embedded grammar. A masked language model of the
shipped recipe `grammar-bert` looks for them as `dragoman fill --anywhere` does; a Kneser–Ney model
of three words scores every word in every gap. What both must beat is the best answer that is always
the same: the gap where words are missing most often, and the words that are, both learned from
training sentences. Many other words would fit as well ("the old man", "the young man"), so no
search can always be right. On some short sentences the pruned search is held against the exact one.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from statistics import fmean

from dragoman.config.reading import find_recipe, read_recipe
from dragoman.config.recipe import Recipe
from dragoman.config.task import MaskedTaskSettings
from dragoman.core.errors import ConfigError
from dragoman.data.corpus.generators.corruptions import Missing, make_missing
from dragoman.data.corpus.text import open_texts
from dragoman.lab.baselines.counted_words import CountedWords
from dragoman.lab.experiment import Experiment, NoOptions, Result, ResultTable
from dragoman.lab.experiments.missing_word.constant import (
    FIGURES,
    TOP,
    ConstantAnswer,
    always_the_same,
)
from dragoman.lab.hypotheses import ClaimVerdict, ExperimentHypothesis, Verdict
from dragoman.lab.power import Power
from dragoman.lab.results import Measurement, Results, figures, gap_of, select, spread_of
from dragoman.lab.runner import TrialRunner
from dragoman.lab.trial import ModelTrial, parameter_count
from dragoman.plots.lab import Bars, draw_panels
from dragoman.tasks.masked_lm.masked_language_model import MaskedLanguageModel
from dragoman.tasks.missing_word import MissingWord, WordFinder, gaps, mask_gaps, right_of
from dragoman.trials.trial import train_in

BERT, N_GRAM, CONSTANT = "BERT", "3-gram", "best constant"
NAMES = (BERT, N_GRAM, CONSTANT)
COUNTED = 4000
"""Training sentences from which the best constant answer is learned."""
ORDER = 3
SHORT = 4
"""Words of the longest sentence that is searched exactly."""

TOGETHER = 64
"""Sentences that the exact search scores between two looks at whether it may stop."""

CHANGES: dict[str, tuple[str, ...]] = {
    "quick": (
        "corpus.sentences=4000", "corpus.held_out=200", "model.width=64", "model.ffn_width=256",
        "model.layers=2", "training.steps=300", "training.validate_every=300",
        "training.checkpoint_every=300",
    ),
    "full": (
        "training.steps=800", "training.validate_every=400", "training.checkpoint_every=400",
    ),
}  # fmt: skip
"""What differs from the recipe: fewer steps, so that three seeds fit into ten minutes."""

EXAMPLES = {"quick": 25, "full": 70}
EXACT = {"quick": 1, "full": 3}

CLAIM = ExperimentHypothesis(
    ("E98",),
    "a word that is missing at an unknown place is found by trying words in every gap and scoring "
    "the sentences.",
    Power(effect=0.15, deviation=0.09),
)


class MissingWordTrial(ModelTrial):
    """One way to look for words, one seed."""

    recipe: Recipe
    """Of the network; the others use its sentences."""
    examples: int
    exact: int
    """Short sentences that are searched exactly as well."""


def measure(runner: TrialRunner, _: NoOptions) -> Result:
    """Look for the same missing words in each way, with each seed."""
    recipe = read_recipe(find_recipe("grammar-bert"), CHANGES[runner.size])
    trials = [
        MissingWordTrial(
            name=name,
            recipe=recipe.model_copy(update={"seed": seed}),
            examples=EXAMPLES[runner.size],
            exact=EXACT[runner.size] if name == BERT else 0,
            seed=seed,
        )
        for seed in runner.seeds
        for name in NAMES
    ]
    results = runner.run(trials, measure_trial)
    return Result(results, [decide(results)], tables(results))


def measure_trial(trial: MissingWordTrial, place: Path) -> Measurement:
    """Make a way to look for words, and count how often it is right."""
    texts = open_texts(trial.recipe.corpus_for(MaskedTaskSettings), trial.seed)
    taken = make_missing(["\n".join(document) for document in texts.test], seed=trial.seed)
    missing = [*taken]
    examples = missing[: trial.examples]
    if trial.name == BERT:
        filler = MaskedLanguageModel.load(train_in(place, trial.recipe))
        finder = WordFinder(filler)
        result = found_right(finder.find, examples)
        result["parameters"] = parameter_count(filler.model)
        result["scored"] = finder.tried / len(examples)
        return result | held_against_exact(filler, missing, trial.exact)
    lines = [line for document in texts.train() for line in document]
    if trial.name == CONSTANT:
        known = make_missing(lines[:COUNTED], seed=trial.seed)
        return always_the_same(ConstantAnswer.of(known), examples)
    counted = CountedWords(lines, ORDER)
    result = found_right(lambda text, top: find_counted(counted, text, top), examples)
    result["parameters"] = counted.parameters
    result["scored"] = fmean(len(gaps(one.text)) * len(counted.words) for one in examples)
    return result


def found_right(
    find: Callable[[str, int], list[MissingWord]], examples: Sequence[Missing]
) -> Measurement:
    """Return how often the first guess, or one of the first five, is right."""
    hits: list[list[bool]] = []
    for example in examples:
        guesses = [right_of(one, example) for one in find(example.text, TOP)] or [(False, False)]
        both = [placed and is_word for placed, is_word in guesses]
        named_ = [is_word for _, is_word in guesses]
        hits.append([guesses[0][0], named_[0], both[0], any(named_), any(both)])
    shares = (fmean(column) for column in zip(*hits, strict=True))
    return dict(zip(FIGURES, shares, strict=True))


def find_counted(counted: CountedWords, text: str, top: int) -> list[MissingWord]:
    """Score every known word in every gap_of, and return the likeliest sentences."""
    tried = {gap.with_word(word): (gap.place, word) for gap in gaps(text) for word in counted.words}
    scores = [float(each.sum()) for each in counted.score([*tried])]
    ranked = sorted(zip(scores, tried, strict=True), reverse=True)[:top]
    return [MissingWord(*tried[whole], whole, score) for score, whole in ranked]


@dataclass(frozen=True)
class Exact:
    """The likeliest of all sentences, how many there were, and how many had to be scored."""

    text: str
    all: int
    scored: int


def search_exactly(filler: MaskedLanguageModel, text: str) -> Exact:
    """Find the word and gap whose sentence has the highest score of all.

    A sentence's score is the sum of the log-probabilities of its words, each given the others, so
    it is at most that of the word put in. Words are tried from the likeliest on, and the search
    ends where the next word alone costs more than the best sentence does.
    """
    known = gaps(text)
    answers = filler.predict(mask_gaps(filler, known), filler.tokenizer.size)
    decode = filler.tokenizer.decode
    bounds: dict[str, float] = {}
    for gap, words in zip(known, answers, strict=True):
        for word in words:
            whole = gap.with_word(decode(word.tokens))
            bounds[whole] = max(word.score, bounds.get(whole, word.score))
    rest = iter(sorted(bounds, key=lambda whole: -bounds[whole]))
    best, score, scored = "", float("-inf"), 0
    while group := [whole for whole in islice(rest, TOGETHER) if bounds[whole] >= score]:
        scored += len(group)
        for whole, found in zip(group, filler.score(group), strict=True):
            if found.total > score:
                best, score = whole, found.total
    return Exact(best, len(bounds), scored)


def held_against_exact(
    filler: MaskedLanguageModel, missing: Sequence[Missing], count: int
) -> Measurement:
    """Compare the pruned search with the exact one on the first short sentences."""
    short = [one for one in missing if len(one.text.split()) <= SHORT][:count]
    if count and not short:
        raise ConfigError("missing-word: no sentence is short enough to be searched exactly.")
    pruned = WordFinder(filler)
    exact = [search_exactly(filler, one.text) for one in short]
    same = [
        pruned.find(one.text, 1)[0].text == found.text
        for one, found in zip(short, exact, strict=True)
    ]
    return {
        "exact": {
            "sentences": len(short),
            "same": sum(same),
            "all": sum(found.all for found in exact),
            "scored": sum(found.scored for found in exact),
            "pruned": pruned.tried,
        }
    }


def decide(results: Results) -> ClaimVerdict:
    """Say whether the search finds more than the best answer that is always the same."""
    place, both = (gap_of(results, BERT, CONSTANT, key) for key in ("place", "both"))
    verdict: Verdict = "undecided"
    if "below" in (place.side_of(0.0), both.side_of(0.0)):
        verdict = "refuted"
    elif place.side_of(0.0) == "above":
        verdict = "confirmed" if both.side_of(0.0) == "above" else "corrected"
    against = gap_of(results, BERT, N_GRAM, "both")
    total = exact_total(results)
    return ClaimVerdict(
        CLAIM,
        verdict,
        f"First guess of the network right in place: {_mean(results, BERT, 'place')}, in word: "
        f"{_mean(results, BERT, 'word')}, in both: {_mean(results, BERT, 'both')} (of the "
        f"best constant answer {_mean(results, CONSTANT, 'place')}, "
        f"{_mean(results, CONSTANT, 'word')} and {_mean(results, CONSTANT, 'both')}); the place, "
        f"minus that answer: {place.interval()}, both: {both.interval()}; both, minus counting "
        f"three words: {against.interval()}. The "
        f"pruned search gave the answer of the exact one for {total['same']} of "
        f"{total['sentences']} short sentences, and scored {total['pruned']:,} instead of "
        f"{total['all']:,} sentences (of which {total['scored']:,} could have been the best).",
    )


def exact_total(results: Results) -> dict[str, int]:
    """Sum the comparisons with the exact search over seeds."""
    each = [result["exact"] for result in select(results, BERT)]
    return {key: sum(int(one[key]) for one in each) for key in each[0]}


def tables(results: Results) -> list[ResultTable]:
    """Return how often each way is right, and what it costs."""
    body = [
        (
            name,
            f"{select(results, name)[0]['parameters']:,}",
            *(_mean(results, name, key) for key in FIGURES),
            f"{spread_of(results, name, 'scored').mean:,.0f}",
            f"{spread_of(results, name, 'seconds').mean:.0f}",
        )
        for name in NAMES
    ]
    return [
        ResultTable(
            "The missing word and its place",
            ("search", "parameters", *FIGURES.values(), "scored", "s"),
            body,
            "Shares of right answers. Scored: whole sentences for each that lacks a word. Best "
            "constant: the gap and the words that were missing most often in training sentences.",
        )
    ]


def draw(result: Result, path: Path) -> None:
    """Draw how often each way is right."""
    panels = [
        Bars(
            f"{title}, share of right answers",
            NAMES[:2],
            [figures(result.measurements, name, key) for name in NAMES[:2]],
            fmean(figures(result.measurements, CONSTANT, key)),
            CONSTANT,
        )
        for key, title in FIGURES.items()
    ]
    draw_panels(panels, path, "The missing word at an unknown place")


def _mean(results: Results, name: str, key: str) -> str:
    return spread_of(results, name, key).written(3)


EXPERIMENT = Experiment(
    name="missing-word",
    title="The missing word at an unknown place",
    hypotheses=(CLAIM,),
    options=NoOptions,
    measure=measure,
    draw=draw,
    seeds=tuple(range(11, 16)),
)
