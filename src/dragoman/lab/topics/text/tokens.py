"""Claims on tokenization."""

import random
import unicodedata

from pydantic import Field

from dragoman.config.settings import Settings
from dragoman.config.tokenizer import (
    BpeTokenizerSettings,
    CharacterTokenizerSettings,
    WordPieceTokenizerSettings,
    WordTokenizerSettings,
)
from dragoman.data.tokenizer.special_tokens import FIRST_PIECE
from dragoman.data.tokenizer.tokenizer import Tokenizer
from dragoman.data.tokenizer.train import train_tokenizer
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Evidence, above, at_most, below, equal
from dragoman.lab.topics.text.samples import SENTENCES

VERBS = ("walk", "talk", "jump", "play", "look", "call", "help", "open")
FORMS = ("", "s", "ed", "ing")


class TokenizedTextSettings(Settings):
    """Any text, and the size of the vocabularies."""

    text: str = Field(default="the slowest cat ate  the naïve रोटी", max_length=200)
    """The text that is encoded and decoded."""
    vocab_size: int = Field(default=360, ge=320, le=1000)
    """Entries of each vocabulary, 292 of them bytes and special tokens."""


@claim(
    "B14",
    "Before a network can read a text, the text is split into tokens, and each token is "
    "replaced by its id in a vocabulary. With subwords or characters any text can be recovered "
    "from its tokens; with whole words, only what the vocabulary contains.",
    r"\mathrm{decode}(\mathrm{encode}(s)) = s",
)
def tokenization(settings: TokenizedTextSettings) -> Evidence:
    """Encode a text in four ways and decode it again."""
    text = settings.text.encode("utf-8", "replace").decode("utf-8")
    composed = unicodedata.normalize("NFC", text)
    size = settings.vocab_size
    lossless = {
        "byte pairs": _learned(BpeTokenizerSettings(vocab_size=size)),
        "WordPiece": _learned(WordPieceTokenizerSettings(vocab_size=size)),
        "characters": _learned(CharacterTokenizerSettings(vocab_size=size)),
    }
    words = _learned(WordTokenizerSettings(vocab_size=1000))
    cut = {name: one.encode(text) for name, one in lossless.items()}
    known = [words.decode(words.encode(line)) == line for line in SENTENCES]
    largest = max((n - lossless[name].size for name, ids in cut.items() for n in ids), default=-1)
    return Evidence(
        stated=[
            *(
                equal(
                    f"{name}: texts that come back otherwise", one.decode(cut[name]) != composed, 0
                )
                for name, one in lossless.items()
            ),
            equal("words: training sentences that are recovered", sum(known), len(SENTENCES)),
            below("largest token id minus the vocabulary size", largest, 0),
        ],
        numbers={
            **{f"tokens, {name}": len(ids) for name, ids in cut.items()},
            "tokens, words": len(words.encode(text)),
            "unknown words": sum(number == words.unknown for number in words.encode(text)),
        },
    )


def _learned(
    settings: BpeTokenizerSettings
    | WordPieceTokenizerSettings
    | WordTokenizerSettings
    | CharacterTokenizerSettings,
) -> Tokenizer:
    """Learn a tokenizer from the sample sentences."""
    return train_tokenizer(settings, SENTENCES, [])


class MisspellingSettings(Settings):
    """A text with spelling errors."""

    share: float = Field(default=0.2, ge=0.05, le=1.0)
    """Share of words in which two letters are exchanged; at least one word is."""
    seed: int = Field(default=1, ge=0)
    """Seed of the choice of words."""


@claim(
    "D23",
    "A vocabulary of whole words does not contain misspelled or new words, which all become the "
    "same `<unk>`, and every form of a verb (*eat, eats, eaten, ate*) takes an entry of its "
    "own. Subwords can represent every word, if need be letter by letter, and share the parts "
    "of word forms.",
    r"|V_{\mathrm{words}}| \approx \mathrm{lemmas} \times \mathrm{forms}, \qquad "
    r"|V_{\mathrm{subwords}}| \approx \mathrm{lemmas} + \mathrm{forms}",
)
def out_of_vocabulary(settings: MisspellingSettings) -> Evidence:
    """Count unknown tokens of misspelled text and of verbs, with words and with byte pairs."""
    words = _learned(WordTokenizerSettings(vocab_size=1000))
    pairs = _learned(BpeTokenizerSettings(vocab_size=400))
    wrong = _misspelled(SENTENCES[:8], settings)
    rates = {
        name: one.unknown_rate([n for line in wrong for n in one.encode(line)])
        for name, one in (("words", words), ("byte pairs", pairs))
    }
    clean = words.unknown_rate([n for line in SENTENCES for n in words.encode(line)])
    lines = [" ".join(verb + form for form in FORMS) for verb in VERBS] * 3
    all_forms = train_tokenizer(WordTokenizerSettings(vocab_size=1000), lines, [])
    room = FIRST_PIECE + len(VERBS) * len(FORMS) - 4
    few_words = train_tokenizer(WordTokenizerSettings(vocab_size=room), lines, [])
    few_pairs = train_tokenizer(BpeTokenizerSettings(vocab_size=room), lines, [])
    lacking = {
        name: one.unknown_rate([n for line in lines for n in one.encode(line)])
        for name, one in (("words", few_words), ("byte pairs", few_pairs))
    }
    return Evidence(
        stated=[
            equal("share of unknown words in the training text", clean, 0),
            above("share of unknown tokens in misspelled text, words", rates["words"], 0),
            equal("share of unknown tokens in misspelled text, byte pairs", rates["byte pairs"], 0),
            equal(
                "vocabulary entries for the forms of 8 verbs",
                len(all_forms.learned),
                8 * len(FORMS),
            ),
            above("share of unknown tokens with 4 entries less, words", lacking["words"], 0),
            equal(
                "share of unknown tokens with as many entries, byte pairs", lacking["byte pairs"], 0
            ),
            at_most("entries of that byte-pair vocabulary", few_pairs.size, room),
        ],
        numbers={
            "a misspelled sentence": wrong[0],
            "as words": words.decode(words.encode(wrong[0])),
            "as byte pairs": " ".join(pairs.words(pairs.encode(wrong[0]))),
        },
    )


def _misspelled(lines: tuple[str, ...], settings: MisspellingSettings) -> list[str]:
    """Exchange the first two letters of some words, and of at least one long word."""
    drawn = random.Random(settings.seed)
    misspelled = []
    for place, line in enumerate(lines):
        words = line.split()
        long = max(range(len(words)), key=lambda at: len(words[at]))
        for at, word in enumerate(words):
            if drawn.random() < settings.share or (place == 0 and at == long):
                words[at] = word[1] + word[0] + word[2:] if len(word) > 1 else word
        misspelled.append(" ".join(words))
    return misspelled
