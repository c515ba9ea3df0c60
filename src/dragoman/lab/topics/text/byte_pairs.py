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
    """How long byte pairs are joined."""

    merges: int = Field(default=40, ge=1, le=200)
    """Joins of the most frequent pair."""
    seed: int = Field(default=1, ge=0)
    """Seed of another order of the same words."""


@claim(
    "D24",
    "Byte-pair encoding begins with single characters, counts which two stand side by side most "
    "often, joins them everywhere, and repeats. The result depends on the counts alone, every word "
    "can be put together again, and no pair was more frequent than the one that was joined.",
    r"(a, b)_{k+1} = \mathrm{arg} \max_{(a,b)} \sum_{w} n_w \, \#\{ ab \in w \}",
)
def byte_pair_merges(settings: MergeSettings) -> Evidence:
    """Compare the merge table with counting anew before each join, and with shuffled words."""
    words = counted_words()
    table = learn(words, settings.merges)
    shuffled = [*words.items()]
    random.Random(settings.seed).shuffle(shuffled)
    again = learn(dict(shuffled), settings.merges)
    by_hand = [_largest_count(words, table[:rank]) for rank in range(len(table))]
    joined = ["".join(cut(word, table)) for word in words]
    return Evidence(
        stated=[
            equal(
                "joins whose count is not the largest of its time",
                sum(merge.count != most for merge, most in zip(table, by_hand, strict=True)),
                0,
            ),
            equal("joins that differ in another order of the words", _unlike(table, again), 0),
            equal(
                "words that come back",
                sum(a == b for a, b in zip(words, joined, strict=True)),
                len(words),
            ),
            above(
                "tokens before the joins",
                sum(map(len, words)),
                sum(len(cut(w, table)) for w in words),
            ),
        ],
        numbers={f"join {rank}": _told(merge) for rank, merge in enumerate(table[:6], 1)},
    )


def _largest_count(words: Mapping[str, int], table: list[Merge]) -> int:
    """Return how often the most frequent pair stands in words that are cut by a table."""
    pairs: Counter[tuple[str, str]] = Counter()
    for word, times in words.items():
        for pair in pairwise(cut(word, table)):
            pairs[pair] += times
    return max(pairs.values(), default=0)


def _unlike(one: list[Merge], other: list[Merge]) -> int:
    """Return at how many ranks two tables join another pair."""
    return abs(len(one) - len(other)) + sum(a != b for a, b in zip(one, other, strict=False))


def _told(merge: Merge) -> str:
    return f"{merge.pair[0]} + {merge.pair[1]} → {merge.piece}, {merge.count}×"


class WorkedMergeSettings(Settings):
    """How far the worked example is shown."""

    merges: int = Field(default=4, ge=1, le=10)
    """Joins that are listed for each corpus."""


@claim(
    "D25",
    "From *low, lower, lowest*, each seen once, byte pairs join *lo*, then *low*, and then *lowe*, "
    "which stands in two words; *er* and *est* stand in one word each and never become tokens. It "
    "takes a corpus with more words in *-est*, such as Sennrich's, for *low* + *est* to come out.",
    r"l\,o\,w \to lo\,w \to low, \qquad \#(low, e) = 2 > \#(e, r) = \#(s, t) = 1",
    notes="*low*, *low er* and *low est* come out of *low, lower, lowest* alone",
)
def worked_byte_pairs(settings: WorkedMergeSettings) -> Evidence:
    """Learn from both corpora, and look for the stated cuts after any number of joins."""
    notes, paper = (learn(words, 100) for words in (NOTES_WORDS, SENNRICH_WORDS))
    first = notes[:2]
    return Evidence(
        premises=[
            equal("first joins that are lo and low", [m.piece for m in first] == ["lo", "low"], 1)
        ],
        stated=[
            at_least(
                "joins after which lowest is low + est", _times(notes, "lowest", "low est"), 1
            ),
            at_least("joins after which lower is low + er", _times(notes, "lower", "low er"), 1),
        ],
        corrected=[
            equal("third join is of low and e", notes[2].pair == ("low", "e"), 1),
            equal("times that low and e stand together", notes[2].count or 0, 2),
            at_least(
                "Sennrich's corpus: joins after which lowest is low + est",
                _times(paper, "lowest", "low est"),
                1,
            ),
        ],
        numbers={
            f"{name}, join {rank}": _told(merge)
            for name, table in (("notes", notes), ("Sennrich", paper))
            for rank, merge in enumerate(table[: settings.merges], 1)
        },
    )


def _times(table: list[Merge], word: str, wanted: str) -> int:
    """Return after how many numbers of joins a word is cut in a given way."""
    return sum(cut(word, table[:rank]) == wanted.split() for rank in range(len(table) + 1))


class SubwordVocabularySettings(Settings):
    """The size of two vocabularies of subwords."""

    vocab_size: int = Field(default=440, ge=400, le=1000)
    """Entries of both, of which 292 are bytes and special tokens."""


@claim(
    "D26",
    "GPT cuts words by byte pairs, in the order in which pairs were learned; BERT by WordPiece, "
    "which takes the longest subword that fits, again and again from the left. Both give every "
    "text back, and they cut some words in different ways.",
    r"\mathrm{unaffable} \to \mathrm{un} \;\; \#\#\mathrm{aff} \;\; \#\#\mathrm{able}",
)
def wordpiece_and_byte_pairs(settings: SubwordVocabularySettings) -> Evidence:
    """Compare WordPiece with a greedy search written out, and both kinds of subwords."""
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
            _counted("WordPiece cuts unlike the greedy search", found, greedy),
            equal(
                "cuts of unaffable as in the paper",
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
            above("words that the two cut differently", len(other), 0),
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
    """Cut a word by the longest subword that fits, from the left."""
    found: list[str] = []
    place = 0
    while place < len(word):
        mark = MORE if place else ""
        ends = (end for end in range(len(word), place, -1) if mark + word[place:end] in pieces)
        end = next(ends, place + 1)
        found.append(mark + word[place:end])
        place = end
    return found
