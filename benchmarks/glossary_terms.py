"""What a glossary costs and gives: terms present, sentences added, chrF with it and without.

    python benchmarks/glossary_terms.py RUN [--part valid] [--pairs 300]

The glossary is counted out of the run's own training text: each source word that is neither rare
nor common, with the target word that goes with it most (Dice). The pairs are held-out ones in their
order whose sources have a term, and whose references have the translations of all their terms, so
that a perfect translation keeps to the glossary. Nothing is random. Settings are chosen on the
validation set (`--part valid`); the table of the docs is `--part test`.
"""

import argparse
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from dragoman.data.batching.store import TokenStore
from dragoman.data.corpus.held_out import load_held_out
from dragoman.data.documents.document import Segment
from dragoman.data.formats.pair import Pair
from dragoman.data.tokenizer.pair import TokenizerPair
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.metrics.scores import score
from dragoman.pipeline.glossary import Glossary
from dragoman.pipeline.load import load_pipeline
from dragoman.pipeline.segments import SegmentResult, translate_segments
from dragoman.pipeline.term_forms import TermCounts
from dragoman.tasks.translation.bare_translator import BareTranslator
from dragoman.tasks.translation.long_texts import split_sentences

LEAST_DICE = 0.3
RAREST = 5
"""Training pairs that a term must stand in: fewer say little about its translation."""
COMMON = 300
"""A word that training has in more than one pair of this many is nobody's term."""


def training_words(run: RunFolder, tokenizer: TokenizerPair) -> Iterator[tuple[set[str], set[str]]]:
    """Yield the words of each training pair, on either side once."""
    store = TokenStore.open(run.data, "train")
    for example in range(len(store)):
        source, target = store.example(example)
        yield (
            set(words(tokenizer.source.decode(source.tolist()).casefold())),
            set(words(tokenizer.target.decode(target.tolist()).casefold())),
        )


def dictionary(run: RunFolder, tokenizer: TokenizerPair, sources: set[str]) -> dict[str, str]:
    """Count the translation of each of some source words out of the training text."""
    here, there, both = Counter[str](), Counter[str](), Counter[tuple[str, str]]()
    pairs = 0
    for left, right in training_words(run, tokenizer):
        pairs += 1
        here.update(left & sources)
        there.update(right)
        both.update((one, other) for one in left & sources for other in right)
    best: dict[str, tuple[float, str]] = {}
    for (one, other), count in both.items():
        if RAREST <= here[one] <= pairs / COMMON and len(one) > 3 and len(other) > 2:
            dice = 2 * count / (here[one] + there[other])
            best[one] = max(best.get(one, (LEAST_DICE, "")), (dice, other))
    return {one: other for one, (_, other) in sorted(best.items()) if other}


def fitting_pairs(pairs: Sequence[Pair], book: Glossary) -> list[Pair]:
    """Keep the pairs that have terms, and whose references have the translations of them all."""
    kept = []
    for pair in pairs:
        terms = book.find(pair.source)
        if terms and all(has_term(pair.target, term.spellings) for term in terms):
            kept.append(pair)
    return kept


def has_term(text: str, spellings: Sequence[str]) -> bool:
    """Say whether a text has one of the spellings as whole words, in whatever case."""
    padded = f" {' '.join(words(text.casefold()))} "
    return any(f" {spelling.casefold()} " in padded for spelling in spellings)


def words(text: str) -> list[str]:
    """Return the words of a text without the marks around them."""
    return [word for word in map(bare_word, text.split()) if any(map(str.isalpha, word))]


def bare_word(text: str) -> str:
    """Take the marks around a word away; vowel signs of Devanagari, say, are part of it."""
    spoken = [place for place, each in enumerate(text) if unicodedata.category(each)[0] in "LMN"]
    return text[spoken[0] : spoken[-1] + 1] if spoken else ""


def table_row(
    name: str,
    found: Sequence[SegmentResult],
    plain: Sequence[str],
    pairs: Sequence[Pair],
    book: Glossary,
) -> str:
    """Count what became of the terms and the sentences, and score against the references."""
    texts = [one.answer.text for one in found]
    terms = [
        (text, term)
        for text, pair in zip(texts, pairs, strict=True)
        for term in book.find(pair.source)
    ]
    exact = sum(has_term(text, term.spellings) for text, term in terms)
    same = sum(
        len(split_sentences(text)) == len(split_sentences(other))
        for text, other in zip(texts, plain, strict=True)
    )
    scores = score(texts, [[pair.target for pair in pairs]], metrics=("bleu", "chrf"))
    return (
        f"| {name} | {exact} of {len(terms)} | {same} of {len(pairs)} "
        f"| {scores['bleu'].value:.1f} | {scores['chrf'].value:.1f} |"
    )


def show_changes(
    pairs: Sequence[Pair], plain: Sequence[str], bound: Sequence[str], book: Glossary
) -> None:
    """Print the translations that the glossary has changed."""
    for pair, before, after in zip(pairs, plain, bound, strict=True):
        if before != after:
            places = ((one.place, one.spellings) for one in book.find(pair.source))
            terms = [f"{pair.source[slice(*place)]} = {one[0]}" for place, one in places]
            print("", pair.source, ", ".join(terms), before, after, pair.target, sep="\n  ")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("run", type=Path)
    parser.add_argument("--part", choices=("valid", "test"), default="test")
    parser.add_argument("--pairs", type=int, default=300)
    parser.add_argument("--show", action="store_true", help="also print what has changed")
    options = parser.parse_args()
    translator = BareTranslator.load(options.run)
    folder, held_out = RunFolder(options.run), load_held_out(RunFolder(options.run).data)
    sets = {"valid": held_out.valid, "test": [p for one in held_out.tests.values() for p in one]}
    some = sets[options.part]
    sources = {word for pair in some for word in words(pair.source.casefold())}
    counted = dictionary(folder, translator.tokenizer, sources)
    book = Glossary({one: (other,) for one, other in counted.items()})
    pairs = fitting_pairs(some, book)[: options.pairs]
    pipeline = load_pipeline(options.run, translator)
    segments = [Segment(pair.source) for pair in pairs]
    plain = translate_segments(pipeline, segments)
    bound = translate_segments(replace(pipeline, glossary=book), segments)
    texts = [one.answer.text for one in plain]
    counts = sum((one.terms for one in bound), TermCounts())
    print(f"{len(pairs)} {options.part} pairs\n")
    print("| | terms as spelled | sentences unchanged | BLEU | chrF2 |\n|---|---:|---:|---:|---:|")
    print(table_row("without a glossary", plain, texts, pairs, book))
    print(table_row("with it", bound, texts, pairs, book))
    print(f"\n{counts.placed} placed, {counts.inflected} inflected, {counts.refused} refused")
    if options.show:
        show_changes(pairs, texts, [one.answer.text for one in bound], book)


if __name__ == "__main__":
    main()
