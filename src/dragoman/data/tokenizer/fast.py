"""A vocabulary of ours as a tokenizer.json, for programs that read those.

The file cuts text into the same numbers as `TokenizerPair.encode_source` does, and its decoder
makes the same text of them; what each kind of tokenizer does by itself is told to the library:

bpe          ▁ before each word, byte pairs with byte fallback
characters   byte pairs without any pair
words        a table of whole words

WordPiece cannot be told: the library gives a word up in which one character has no subword,
where ours spells that character in bytes.

A few differences are left. The library cuts a word as a whole, ours in parts of 2000 characters;
it knows the Unicode of its own year, and two tags before a text; a text that is one placeholder and
nothing else gets no ▁; and bytes that are no UTF-8 become one U+FFFD each.
"""

from collections.abc import Sequence
from typing import Any

from tokenizers import AddedToken, Regex, decoders, models, normalizers, pre_tokenizers, processors
from tokenizers import Tokenizer as Library

from dragoman.core.errors import DataError
from dragoman.data.tokenizer.bpe import BpeTokenizer, all_joins
from dragoman.data.tokenizer.characters import CharacterTokenizer
from dragoman.data.tokenizer.escape import MARK
from dragoman.data.tokenizer.library import explain_panics
from dragoman.data.tokenizer.special_tokens import (
    BYTES,
    PAD,
    PLACEHOLDERS,
    SPACE,
    SPECIALS,
    START,
    UNKNOWN,
)
from dragoman.data.tokenizer.tokenizer import Tokenizer
from dragoman.data.tokenizer.words import WordTokenizer

TEXT = "$A"
"""Where the text stands among the symbols that go around it."""

SOURCE = (TEXT, SPECIALS[3])
"""What an encoder reads: a text, and its end."""

KINDS = (BpeTokenizer, CharacterTokenizer, WordTokenizer)
TAG = "｟(?:1[5-9]|2[0-9]|3[01])｠"
ANY = "｟(?:3[01]|[12]?[0-9])｠"


def has_fast(tokenizer: Tokenizer) -> bool:
    """Say whether the library can do what a vocabulary does."""
    return isinstance(tokenizer, KINDS)


def to_fast(tokenizer: Tokenizer, around: Sequence[str] = SOURCE) -> str:
    """Return the file; `around` names the symbols that are put around a text."""
    with explain_panics():
        match tokenizer:
            case BpeTokenizer():
                library = _pieces(tokenizer, all_joins(tokenizer.ids))
                library.normalizer = normalizers.Sequence([*_escaped(), *_words_begin()])
                library.pre_tokenizer = pre_tokenizers.Metaspace(SPACE, prepend_scheme="first")
                library.decoder = _joined(strip=True)
            case CharacterTokenizer():
                library = _pieces(tokenizer, [])
                library.normalizer = normalizers.Sequence([*_escaped(), *_no_space_after_tags()])
                library.decoder = _joined(strip=False)
            case WordTokenizer():
                library = _words(tokenizer)
            case _:
                raise DataError(
                    f"a vocabulary of {tokenizer.kind} cannot be a tokenizer.json, for the "
                    "library has no byte fallback for it. Train with tokenizer.kind = 'bpe'."
                )
        library.add_special_tokens([AddedToken(s, normalized=False) for s in SPECIALS])
        _put_around(library, around)
        return library.to_str()


def fast_settings() -> dict[str, Any]:
    """Return the tokenizer_config.json: which symbols are marks, and that a text spells none."""
    return {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "pad_token": SPECIALS[PAD],
        "unk_token": SPECIALS[UNKNOWN],
        "bos_token": SPECIALS[START],
        "eos_token": SPECIALS[3],
        "clean_up_tokenization_spaces": False,
        "split_special_tokens": True,
        "model_input_names": ["input_ids", "attention_mask"],
    }


def _pieces(tokenizer: Tokenizer, merges: list[tuple[str, str]]) -> Library:
    library = Library(
        models.BPE(
            vocab=_numbered(tokenizer),
            merges=merges,
            byte_fallback=True,
            unk_token=SPECIALS[UNKNOWN],
        )
    )
    whole = [AddedToken(p, normalized=True, special=False) for p in PLACEHOLDERS]
    library.add_tokens(whole)
    return library


def _words(tokenizer: Tokenizer) -> Library:
    """Look whole words up; what only spells a symbol is a word that is not known."""
    library = Library(models.WordLevel(vocab=_numbered(tokenizer), unk_token=SPECIALS[UNKNOWN]))
    spelled = "|".join((*SPECIALS, *BYTES))
    strange = MARK
    while strange in tokenizer.ids:
        strange += MARK
    library.normalizer = normalizers.Sequence(
        [normalizers.NFC(), normalizers.Replace(Regex(f"(?<![^ ])(?:{spelled})(?![^ ])"), strange)]
    )
    library.pre_tokenizer = pre_tokenizers.Split(" ", behavior="removed")
    return library


def _numbered(tokenizer: Tokenizer) -> dict[str, int]:
    return {piece: number for number, piece in enumerate(tokenizer.pieces)}


def _escaped() -> list[Any]:
    """Compose (NFC), and write each ▁ of the text so that it is not taken for a space."""
    return [
        normalizers.NFC(),
        normalizers.Replace(MARK, f"{MARK}1"),
        normalizers.Replace(SPACE, f"{MARK}0"),
    ]


def _words_begin() -> list[Any]:
    """Prepare the beginning of a text, before which the library puts ▁ unless a space is there.

    A first space is doubled, and a placeholder that is no tag gets one: either has ▁ before it.
    Between two tags there is none, nor after a tag alone.
    """
    return [
        normalizers.Replace(Regex(r"\A "), "  "),
        normalizers.Replace(Regex(rf"\A｟(?={ANY[1:]}[\s\S])(?!{TAG[1:]} )"), " ｟"),
        normalizers.Replace(Regex(rf"(?<=\A{TAG}) (?={TAG} |\z)"), ""),
    ]


def _no_space_after_tags() -> list[Any]:
    """Write spaces as ▁, but for those after tags, of which a text may begin with two."""
    return [
        normalizers.Replace(Regex(rf"(?<=\A{TAG} {TAG}) "), ""),
        normalizers.Replace(Regex(rf"(?<=\A{TAG}) "), ""),
        normalizers.Replace(" ", SPACE),
    ]


def _joined(*, strip: bool) -> Any:
    """Put subwords and bytes together, and turn every escape back."""
    steps = [decoders.ByteFallback(), decoders.Fuse(), decoders.Replace(SPACE, " ")]
    steps += [decoders.Strip(" ", 1, 0)] if strip else []
    steps += [decoders.Replace(f"{MARK}0", SPACE), decoders.Replace(f"{MARK}1", MARK)]
    return decoders.Sequence(steps)


def _put_around(library: Library, around: Sequence[str]) -> None:
    symbols = [(s, library.token_to_id(s)) for s in dict.fromkeys(around) if s != TEXT]
    if symbols:
        library.post_processor = processors.TemplateProcessing(
            single=list(around), special_tokens=symbols
        )
