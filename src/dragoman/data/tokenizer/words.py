"""Whole words between spaces: short sequences, and UNKNOWN for whatever is rare."""

from dragoman.data.tokenizer.escape import normalize
from dragoman.data.tokenizer.special_tokens import PLACEHOLDER_IDS, UNKNOWN
from dragoman.data.tokenizer.tokenizer import SILENT, Ids, Tokenizer


class WordTokenizer(Tokenizer):
    """The most frequent words, most frequent first."""

    kind = "words"
    longest_piece = 1000

    def encode(self, text: str) -> list[int]:
        """Return one number for each word, without START and END."""
        words = [word for word in normalize(text).split(" ") if word]
        return [self.ids.get(word) or PLACEHOLDER_IDS.get(word, UNKNOWN) for word in words]

    def decode(self, ids: Ids) -> str:
        """Return the words with one space between them."""
        return " ".join(self.pieces[n] for n in self._known(ids) if n not in SILENT)

    def begins_word(self, number: int) -> bool:
        """Every token is a word."""
        return True
