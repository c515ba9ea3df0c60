"""Claims on byte-pair encoding and WordPiece."""

import random
from collections import Counter
from collections.abc import Mapping
from itertools import pairwise

from pydantic import Field

from dragoman.config.settings import Settings
from dragoman.config.tokenizer import BpeTokenizerSettings, WordPieceTokenizerSettings
from dragoman.data.tokenizer.merge_table import Merge, cut, learn
from dragoman.data.tokenizer.train import train_tokenizer
from dragoman.data.tokenizer.wordpiece import MORE, WordPieceTokenizer
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Criterion, Evidence, above, at_least, equal
from dragoman.lab.topics.text.samples import SENTENCES, counted_words

NOTES_WORDS = Counter(["low", "lower", "lowest"])
SENNRICH_WORDS = Counter({"low": 5, "lower": 2, "newest": 6, "widest": 3})
PAPER_PIECES = ("▁", "u", "un", "##a", "##aff", "##able", "##b", "##f", "##l", "##e", "##n")


class MergeSettings(Settings):
    """The length of a merge table."""

    merges: int = Field(default=40, ge=1, le=200)
    """Number of merges."""
    seed: int = Field(default=1, ge=0)
    """Seed of a different order of the same words."""


@claim(
    "D24",
    "Byte-pair encoding starts with single characters, counts which two tokens occur next to "
    "each other most often, merges them everywhere, and repeats. The merges depend only on the "
    "counts, no pair was more frequent than the one that was merged, and every word can be "
    "recovered from its tokens.",
    r"(a, b)_{k+1} = \arg\max_{(a,b)} \sum_{w} n_w \, \#\{ ab \in w \}",
)
def byte_pair_merges(settings: MergeSettings) -> Evidence:
    """Recount all pairs before each merge, and learn again from shuffled words."""
    words = counted_words()
    table = learn(words, settings.merges)
    shuffled = [*words.items()]
    random.Random(settings.seed).shuffle(shuffled)
    again = learn(dict(shuffled), settings.merges)
    pairs = [_pair_counts(words, table[:rank]) for rank in range(len(table))]
    most = [max(counts.values()) for counts in pairs]
    joined = ["".join(cut(word, table)) for word in words]
    return Evidence(
        stated=[
            equal(
                "merges of a pair that was not the most frequent one",
                sum(
                    counts[merge.pair] != largest
                    for merge, counts, largest in zip(table, pairs, most, strict=True)
                ),
                0,
            ),
            equal(
                "merges with a wrong count",
                sum(merge.count != largest for merge, largest in zip(table, most, strict=True)),
                0,
            ),
            equal("merges that differ when the words are shuffled", _unlike(table, again), 0),
            equal(
                "words that are recovered",
                sum(a == b for a, b in zip(words, joined, strict=True)),
                len(words),
            ),
            above(
                "tokens before the merges, and after",
                sum(map(len, words)),
                sum(len(cut(w, table)) for w in words),
            ),
        ],
        numbers={f"merge {rank}": _shown(merge) for rank, merge in enumerate(table[:6], 1)},
    )


def _pair_counts(words: Mapping[str, int], table: list[Merge]) -> Counter[tuple[str, str]]:
    """Count the neighboring tokens of all words, after the merges of a table."""
    pairs: Counter[tuple[str, str]] = Counter()
    for word, times in words.items():
        for pair in pairwise(cut(word, table)):
            pairs[pair] += times
    return pairs


def _unlike(one: list[Merge], other: list[Merge]) -> int:
    """Return at how many ranks two tables differ."""
    return abs(len(one) - len(other)) + sum(a != b for a, b in zip(one, other, strict=False))


def _shown(merge: Merge) -> str:
    return f"{merge.pair[0]} + {merge.pair[1]} → {merge.piece}, {merge.count}×"


class WorkedMergeSettings(Settings):
    """The part of the worked example that is shown."""

    merges: int = Field(default=4, ge=1, le=10)
    """Number of merges that are listed for each corpus."""


@claim(
    "D25",
    "From *low, lower, lowest*, each seen once, byte-pair encoding merges *lo*, then *low*, and "
    "then *lowe*, which occurs in two words. The pairs in *er* and *est* occur in one word "
    "each, so *low er* and *low est* never come out. It takes a corpus with more words in "
    "*-est*, such as Sennrich's, to get *low* + *est*.",
    r"l\,o\,w \to lo\,w \to low, \qquad \#(low, e) = 2 > \#(e, r) = \#(s, t) = 1",
    notes="*low, lower, lowest* alone yield the tokens *low*, *low er* and *low est*.",
)
def worked_byte_pairs(settings: WorkedMergeSettings) -> Evidence:
    """Learn from both corpora, and look for the stated tokens after any number of merges."""
    notes, paper = (learn(words, 100) for words in (NOTES_WORDS, SENNRICH_WORDS))
    first = notes[:2]
    return Evidence(
        premises=[
            equal("first two merges are lo and low", [m.piece for m in first] == ["lo", "low"], 1)
        ],
        stated=[
            at_least(
                "table lengths at which lowest is low + est", _times(notes, "lowest", "low est"), 1
            ),
            at_least(
                "table lengths at which lower is low + er", _times(notes, "lower", "low er"), 1
            ),
        ],
        corrected=[
            equal("third merge is low + e", notes[2].pair == ("low", "e"), 1),
            equal("count of the pair low, e", notes[2].count or 0, 2),
            at_least(
                "Sennrich's corpus: table lengths at which lowest is low + est",
                _times(paper, "lowest", "low est"),
                1,
            ),
        ],
        numbers={
            f"{name}, merge {rank}": _shown(merge)
            for name, table in (("notes", notes), ("Sennrich", paper))
            for rank, merge in enumerate(table[: settings.merges], 1)
        },
    )


def _times(table: list[Merge], word: str, wanted: str) -> int:
    """Count the lengths of the table at which a word is split in a given way."""
    return sum(cut(word, table[:rank]) == wanted.split() for rank in range(len(table) + 1))


class SubwordVocabularySettings(Settings):
    """The size of two subword vocabularies."""

    vocab_size: int = Field(default=440, ge=400, le=1000)
    """Entries of each vocabulary, 292 of them bytes and special tokens."""


@claim(
    "D26",
    "GPT splits words by byte-pair encoding, in the order in which the merges were learned. "
    "BERT uses WordPiece, which repeatedly takes the longest subword that matches, from the "
    "left. Both recover every text, and they split some words differently.",
    r"\mathrm{unaffable} \to \mathrm{un} \;\; \#\#\mathrm{aff} \;\; \#\#\mathrm{able}",
)
def wordpiece_and_byte_pairs(settings: SubwordVocabularySettings) -> Evidence:
    """Compare WordPiece with a written-out greedy search, and with byte pairs."""
    size = settings.vocab_size
    pairs = train_tokenizer(BpeTokenizerSettings(vocab_size=size), SENTENCES, [])
    pieces = train_tokenizer(WordPieceTokenizerSettings(vocab_size=size), SENTENCES, [])
    paper = WordPieceTokenizer(PAPER_PIECES)
    words = [*counted_words(), "slowly", "bread", "wildest"]
    greedy = [_longest_fits(word, {*pieces.learned}) for word in words]
    found = [pieces.words(pieces.encode(word)) for word in words]
    spelled = [[one.removeprefix(MORE) for one in cuts] for cuts in found]
    by_pairs = [[p.removeprefix("▁") for p in pairs.words(pairs.encode(word))] for word in words]
    other = [word for word, a, b in zip(words, spelled, by_pairs, strict=True) if a != b]
    return Evidence(
        stated=[
            _counted(
                "words that WordPiece splits differently from the greedy search", found, greedy
            ),
            equal(
                "unaffable is split as in the paper",
                paper.words(paper.encode("unaffable")) == ["un", "##aff", "##able"],
                1,
            ),
            *(
                equal(
                    f"{name}: words that come back",
                    sum(one.decode(one.encode(w)) == w for w in words),
                    len(words),
                )
                for name, one in (("byte pairs", pairs), ("WordPiece", pieces))
            ),
            above("words that the two split differently", len(other), 0),
        ],
        numbers={
            f"{word}": f"{' '.join(pairs.words(pairs.encode(word)))} or "
            f"{' '.join(pieces.words(pieces.encode(word)))}"
            for word in other[:4]
        },
    )


def _counted(name: str, found: list[list[str]], wanted: list[list[str]]) -> Criterion:
    return equal(name, sum(a != b for a, b in zip(found, wanted, strict=True)), 0)


def _longest_fits(word: str, pieces: set[str]) -> list[str]:
    """Split a word from the left into the longest subwords that match."""
    found: list[str] = []
    place = 0
    while place < len(word):
        mark = MORE if place else ""
        ends = (end for end in range(len(word), place, -1) if mark + word[place:end] in pieces)
        end = next(ends, place + 1)
        found.append(mark + word[place:end])
        place = end
    return found
