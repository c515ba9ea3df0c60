"""Labelled texts that a program draws: sets to train and to test on without any file."""

from collections.abc import Sequence
from typing import assert_never

from dragoman.config.corpus import GeneratedLabels
from dragoman.data.corpus.generators.agreement import draw_agreements
from dragoman.data.corpus.generators.arithmetic import split_grid
from dragoman.data.corpus.generators.corruptions import correct_and_corrupted
from dragoman.data.corpus.generators.lag import draw_lagged
from dragoman.data.formats.labeled import LabeledText
from dragoman.data.grammar.sample import draw_sets

LAG, EARLIER = 10, 5
"""Letters after the one that counts, and the most before it."""

Drawn = tuple[list[LabeledText], list[LabeledText], list[LabeledText]]
"""What is trained on, validated on and tested on; no text stands in two of them."""


def draw_labeled(settings: GeneratedLabels, seed: int) -> Drawn:
    """Draw the sets of a task; the same settings and seed give the same."""
    match settings.task:
        case "arithmetic":
            train, valid, test = ([LabeledText(*row) for row in part] for part in split_grid(seed))
            return train, valid, test
        case "agreement":
            return _cut(draw_beginnings(_total(settings), seed), settings)
        case "correctness":
            return _correctness(settings, seed)
        case "lag":
            drawn = draw_lagged(_total(settings), LAG, seed=seed, earlier=EARLIER, distinct=True)
            return _cut([LabeledText(one.text, one.label) for one in drawn], settings)
        case _:
            assert_never(settings.task)


def draw_beginnings(count: int, seed: int, distractors: int | None = None) -> list[LabeledText]:
    """Draw sentences up to their verb; two that go on differently may begin alike."""
    drawn = count
    while True:
        agreements = draw_agreements(drawn, seed=seed, distractors=distractors)
        found = {one.text: one.label for one in agreements}
        if len(found) >= count:
            return [LabeledText(*item) for item in [*found.items()][:count]]
        drawn += count // 2


def _total(settings: GeneratedLabels) -> int:
    return settings.texts + 2 * settings.held_out


def _cut(rows: Sequence[LabeledText], settings: GeneratedLabels) -> Drawn:
    valid, test = settings.texts, settings.texts + settings.held_out
    return [*rows[:valid]], [*rows[valid:test]], [*rows[test : test + settings.held_out]]


def _correctness(settings: GeneratedLabels, seed: int) -> Drawn:
    """Give each sentence and one that was made of it, both in one set."""
    drawn = draw_sets(
        pairs=settings.texts // 2, held_out=settings.held_out // 2, difficulty=4, seed=seed
    )
    sets: Drawn = ([], [], [])
    parts = (drawn.train, drawn.valid, drawn.unseen)
    home = {one.source: number for number, part in enumerate(parts) for one in part}
    known, whole = set(home), 0
    for judged in correct_and_corrupted([*home], seed=seed):
        if judged.label == "right":
            whole = home[judged.text]
        elif judged.text in known:  # by chance it is another sentence, or spoilt like one
            continue
        known.add(judged.text)
        sets[whole].append(LabeledText(judged.text, judged.label))
    return sets
