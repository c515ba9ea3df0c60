"""What survives a translation, what terms cost, and text as people type it: tables for the docs.

    python benchmarks/trusted_output.py RUN PLACEHOLDERS.tsv

PLACEHOLDERS.tsv holds pairs whose sources have something that must survive, none of them trained
on. The terms of the glossary are words of the run's test pairs and of these, each with the word of
the training text that goes with it most (Dice), where the reference has that word. Words that
training has in more than one pair of three hundred are too common to be anybody's terms. Pairs
whose reference translates one of their terms otherwise are left out (as Dinu et al. 2019 do).
"""

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from dragoman.data.batching.robustness import LINES, make_cases
from dragoman.data.batching.store import TokenStore
from dragoman.data.corpus.held_out import load_held_out
from dragoman.data.documents.document import Segment
from dragoman.data.formats.accelerators import without_accelerator
from dragoman.data.formats.pair import Pair
from dragoman.data.formats.protected import protected
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.engine.inference.translator import Translator
from dragoman.engine.interpreter.glossary import Glossary
from dragoman.engine.interpreter.interpreter import interpret
from dragoman.engine.interpreter.loading import careful
from dragoman.engine.interpreter.protection import How, survives
from dragoman.engine.interpreter.robustness import judge_cases, table
from dragoman.engine.interpreter.sentences import Careful
from dragoman.metrics.hallucinations import Usual
from dragoman.metrics.scores import score

TERMS = 500
WORST: list[How] = ["at once", "insisted", "in parts"]
LEAST_DICE = 0.3
COMMON = 300


def translated(care: Careful, texts: Sequence[str]) -> tuple[list[str], Counter[How]]:
    """Translate with care; return the texts, and how many needed what."""
    found = interpret(care, [Segment(text) for text in texts])
    needed = Counter(max((told.how for told in one.told), key=WORST.index) for one in found)
    return [one.answer.text for one in found], needed


def survivors(sources: Sequence[str], hypotheses: Sequence[str]) -> int:
    """Count the texts that lost nothing."""
    count = 0
    for source, hypothesis in zip(sources, hypotheses, strict=True):
        bare, pressed = without_accelerator(source)
        marked = pressed is None or pressed.mark in hypothesis
        count += marked and survives(protected(bare), hypothesis)
    return count


def figures(hypotheses: Sequence[str], pairs: Sequence[Pair]) -> str:
    """Score against the references."""
    found = score(list(hypotheses), [[pair.target for pair in pairs]], metrics=("bleu", "chrf"))
    return (
        f"BLEU {found['bleu'].value:.2f}, chrF {found['chrf'].value:.2f} {found['bleu'].signature}"
    )


def read(path: Path) -> list[Pair]:
    """Read pairs."""
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").split("\n")[:-1]]
    return [Pair(*row[:2]) for row in rows]


def placeholders(care: Careful, path: Path) -> None:
    """Compare protecting with not protecting."""
    pairs = read(path)
    sources = [pair.source for pair in pairs]
    bare = care.translator.translate(sources)
    kept, needed = translated(care, sources)
    for name, hypotheses in (("not protected", bare), ("protected", kept)):
        share = survivors(sources, hypotheses)
        print(f"{name}: {share} of {len(pairs)} lost nothing; {figures(hypotheses, pairs)}")
    print("needed:", dict(needed))


def terms_of(
    run: RunFolder, translator: Translator, more: Sequence[Pair]
) -> tuple[list[Pair], dict[str, tuple[str, ...]]]:
    """Choose test pairs, one term each."""
    store, words = TokenStore.open(run.data, "train"), translator.tokenizer
    both: Counter[tuple[str, str]] = Counter()
    here, there = Counter[str](), Counter[str]()
    for example in range(len(store)):
        source, target = store.example(example)
        left = set(_words(words.source.decode(source.tolist()).casefold()))
        right = set(_words(words.target.decode(target.tolist())))
        here.update(left)
        there.update(right)
        both.update((one, other) for one in left for other in right)
    pairs: list[Pair] = []
    terms: dict[str, tuple[str, ...]] = {}
    tests = [pair for test in load_held_out(run.data).tests.values() for pair in test]
    for pair in (*tests, *more):
        choices = [
            (2 * both[one, other] / (here[one] + there[other]), one, other)
            for one in set(_words(pair.source.casefold()))
            for other in set(_words(pair.target))
            if one not in terms and 5 <= here[one] <= len(store) / COMMON
            if len(one) > 3 and len(other) > 2
        ]
        if choices and max(choices)[0] >= LEAST_DICE:
            pairs.append(pair)
            terms[max(choices)[1]] = (max(choices)[2],)
    book, chosen = Glossary(terms), dict(zip(terms, pairs, strict=True))
    fitting = [
        term
        for term, pair in chosen.items()
        if all(any(one in pair.target for one in f.spellings) for f in book.find(pair.source))
    ][:TERMS]
    return [chosen[term] for term in fitting], {term: terms[term] for term in fitting}


def glossary(care: Careful, run: RunFolder, path: Path) -> None:
    """Compare translating with terms and without."""
    pairs, terms = terms_of(run, care.translator, read(path))
    book = Glossary(terms)
    sources = [pair.source for pair in pairs]
    for name, one in (("without", care), ("with terms", replace(care, glossary=book))):
        hypotheses, _ = translated(one, sources)
        asked = met = 0
        for source, hypothesis in zip(sources, hypotheses, strict=True):
            for found in book.find(source):
                asked += 1
                met += any(spelling in hypothesis for spelling in found.spellings)
        share = f"{met} of {asked} terms present ({met / asked:.1%})"
        print(f"{name}: {len(terms)} terms, {share}; {figures(hypotheses, pairs)}")


def robustness(care: Careful, run: RunFolder) -> None:
    """Compare care with the network alone on text as people type it."""
    held_out = load_held_out(run.data)
    pairs = [pair for test in held_out.tests.values() for pair in test]
    usual = Usual.of(held_out.valid)
    cases = make_cases(pairs, 1, LINES)
    plain = replace(care, mend=None)
    for name, one in (
        ("the network alone", care.translator.translate),
        ("with care but for slips", lambda texts: translated(plain, texts)[0]),
        ("with care", lambda texts: translated(care, texts)[0]),
    ):
        print(f"\n{name}:\n{table(judge_cases(cases, one, usual))}")


def _words(text: str) -> list[str]:
    return [word.strip(".,;:!?()\"'।…") for word in text.split() if any(map(str.isalpha, word))]


def main(run: str, path: str) -> None:
    """Print all tables."""
    translator = Translator.load(run)
    care = careful(Path(run), translator)
    placeholders(care, Path(path))
    glossary(care, RunFolder(Path(run)), Path(path))
    robustness(care, RunFolder(Path(run)))


if __name__ == "__main__":
    main(*sys.argv[1:])
