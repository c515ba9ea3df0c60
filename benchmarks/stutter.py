"""Stutter in translations, without and with the stutter guard, and what the guard costs.

    python benchmarks/stutter.py runs/english-spanish runs/demo [--valid] [--sentences 400]

For each run and each of its test sets (or its validation set, by which settings are chosen): the
share of outputs that stutter, BLEU and chrF, greedy and with a beam of 5; and how many references
the guard would have forbidden. Where CTranslate2 can hold the network, also how many sentences it
searches again, in how many calls. The judge reads text and knows nothing of the guard:

    a word, or up to four words, twice in a row        "cond cond", "voy a voy a"
    three letters or more twice in a row in a word     "Hellello", unless the training targets or
    two letters three times                            the source have that word ("cantante")

What doubles nothing in its source may double nothing. Digits and marks may stand as they like, and
a mark parts two words ("no, no").
"""

import argparse
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any
from unittest.mock import patch

import torch

from dragoman.backends.stutter_guard import stutter_guard_of
from dragoman.backends.torch_engine import padded_sources
from dragoman.core.errors import DragomanError
from dragoman.data.batching.store import TokenStore
from dragoman.data.corpus.held_out import load_held_out
from dragoman.data.formats.pair import Pair
from dragoman.data.formats.placeholders import split_tags
from dragoman.data.tokenizer.special_tokens import END
from dragoman.metrics.scores import score
from dragoman.neural.adapt.fast_inference import quick
from dragoman.pipeline.repetition import loop_free
from dragoman.tasks.translation.bare_translator import BareTranslator
from dragoman.tasks.translation.requests import TranslationRequest, run_coroutine

LONGEST_WORDS, LONGEST_LETTERS = 4, 16
ROWS, STEPS = 200, 12
"""Rows and steps by which the cost of the guard is taken."""


def main() -> None:
    """Measure each run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", nargs="+", type=Path)
    parser.add_argument("--valid", action="store_true", help="the validation set, not the tests")
    parser.add_argument("--sentences", type=int, default=1000, help="at most so many of a set")
    parser.add_argument("--beams", type=int, nargs="+", default=[1, 5])
    parser.add_argument("--cost", action="store_true", help="time a step of the guard, too")
    parser.add_argument("--show", type=int, default=0, help="outputs that stutter to print")
    asked = parser.parse_args()
    for run in asked.runs:
        held = load_held_out(run / "data")
        for name, pairs in ({"valid": held.valid} if asked.valid else held.tests).items():
            measure(run, name, pairs[:: -(-len(pairs) // asked.sentences)], asked)


def measure(run: Path, name: str, pairs: Sequence[Pair], asked: argparse.Namespace) -> None:
    """Print what is found on one set."""
    bare = BareTranslator.load(run)
    judge = Judge(bare, run)
    print(f"{run.name} {name}: {len(pairs)} sentences; references that the judge flags ", end="")
    print(f"{share(judge.flags(p.source, p.target) for p in pairs)}, that the guard would ", end="")
    print(f"have forbidden {share(forbidden(bare, run, pairs))}")
    for beam in asked.beams:
        for guard in ("off", "always"):
            other = bare.searching(bare.decoding.model_copy(update={"stutter_guard": guard}))
            found = other.candidates([p.source for p in pairs], beam=beam)
            texts = [each[0].text for each in found]
            flagged = [judge.flags(p.source, t) for p, t in zip(pairs, texts, strict=True)]
            scores = score(texts, [[p.target for p in pairs]], metrics=("bleu", "chrf"))
            told = ", ".join(f"{one.name} {one.value:.2f}" for one in scores.values())
            print(f"  beam {beam}, guard {guard:<6}: stutter {share(flagged)}, {told}", flush=True)
            for text in [t for t, is_bad in zip(texts, flagged, strict=True) if is_bad][
                : asked.show if guard == "always" else 0
            ]:
                print(f"    {text}")
    for one in scores.values():
        print(f"  {one.signature}")
    second_searches(run, pairs)
    if asked.cost:
        print(
            f"  a step of the guard takes {guard_cost(bare, run, pairs):.1%} of one of the network"
        )


def guard_cost(bare: BareTranslator, run: Path, pairs: Sequence[Pair]) -> float:
    """Return the guard's share of a decoding step: CPU time, the median of steps in turn."""
    guard, rows = stutter_guard_of(run, bare.tokenizer), pairs[:ROWS]
    encoded = [bare.tokenizer.target.encode(pair.target) for pair in rows]
    targets = torch.tensor([(ids + [END] * STEPS)[:STEPS] for ids in encoded])
    source = padded_sources([bare.tokenizer.encode_source(p.source) for p in rows], bare.device)
    model: Any = quick(bare.model, "float32")
    ratios = []
    with torch.inference_mode():
        state = model.begin(source)
        for length in range(1, STEPS):
            begun = process_time()
            _, state = model.step(targets[:, length - 1], state)
            stepped = process_time()
            if guard is not None:
                guard.bans(targets[:, :length])
            ratios.append((process_time() - stepped) / (stepped - begun))
    return median(ratios)


def share(flags: Iterator[bool] | Sequence[bool]) -> str:
    """Return a share in per cent, with its count."""
    every = list(flags)
    return f"{100 * sum(every) / len(every):.2f} % ({sum(every)})"


def forbidden(bare: BareTranslator, run: Path, pairs: Sequence[Pair]) -> list[bool]:
    """Say which references the guard would have forbidden."""
    guard = stutter_guard_of(run, bare.tokenizer)
    if guard is None:
        raise SystemExit(f"{run}: has no training tokens, so there is no guard to measure.")
    sources = [bare.tokenizer.encode_source(pair.source) for pair in pairs]
    return [
        guard.stutters(bare.tokenizer.target.encode(pair.target))
        and not bool(guard.excused(torch.tensor([source]))[0])
        for source, pair in zip(sources, pairs, strict=True)
    ]


def second_searches(run: Path, pairs: Sequence[Pair]) -> None:
    """Print how often CTranslate2 searches again, asked through the pipeline's loop check."""
    try:
        translator = BareTranslator.load(run, engine="ctranslate2")
    except DragomanError as error:
        print(f"  CTranslate2: {error}")
        return
    request = TranslationRequest(texts=[pair.source for pair in pairs], beam=5)
    with patch.object(translator.engine, "_ask", wraps=translator.engine._ask) as searched:  # type: ignore[union-attr]
        run_coroutine(translator, loop_free(request))
    counted = [len(call.args[0]) for call in searched.call_args_list]
    print(
        f"  CTranslate2, beam 5: {sum(counted) - len(pairs)} searches beyond the first of "
        f"{len(pairs)} sentences; {len(counted)} calls in all"
    )


class Judge:
    """Reads outputs for stutter."""

    def __init__(self, bare: BareTranslator, run: Path) -> None:
        store, target = TokenStore.open(run / "data", "train"), bare.tokenizer.target
        self.known: set[str] = set()
        for example in range(len(store)):
            text = target.decode(store.example(example)[1].tolist())
            self.known.update(map(core, text.casefold().split()))

    def flags(self, source: str, text: str) -> bool:
        """Whether a text stutters and its source does not."""
        source = split_tags(source)[1].casefold()
        words, own = text.casefold().split(), source.split()
        letters = (
            doubles_letters(word) and core(word) not in self.known and core(word) not in source
            for word in words
        )
        found = doubles_words(words) or any(letters)
        return found and not (doubles_words(own) or any(map(doubles_letters, own)))


def doubles_words(words: Sequence[str]) -> bool:
    """Whether up to four words stand twice in a row, with at least one letter."""
    for size in range(1, LONGEST_WORDS + 1):
        for at in range(len(words) - 2 * size + 1):
            one, other = " ".join(words[at : at + size]), " ".join(words[at + size : at + 2 * size])
            if one[inside(one)[0] :] == other[: inside(other)[1]] and any(map(is_letter, one)):
                return True
    return False


def doubles_letters(word: str) -> bool:
    """Whether three letters or more stand twice in a row, or two of them three times."""
    for size in range(2, LONGEST_LETTERS + 1):
        run = 0
        for at in range(size, len(word)):
            run = run + 1 if word[at] == word[at - size] and is_letter(word[at]) else 0
            if run >= (size if size > 2 else 2 * size):
                return True
    return False


def core(word: str) -> str:
    """Return a word without the marks around it."""
    begin, end = inside(word)
    return word[begin:end]


def inside(text: str) -> tuple[int, int]:
    """Return where the first letter or digit stands, and where the last one ends."""
    spoken = [at for at, one in enumerate(text) if is_letter(one) or one.isdigit()]
    return (spoken[0], spoken[-1] + 1) if spoken else (0, len(text))


@lru_cache(maxsize=4096)
def is_letter(character: str) -> bool:
    """Whether a character is a letter or belongs to one."""
    return unicodedata.category(character)[0] in "LM"


if __name__ == "__main__":
    main()
