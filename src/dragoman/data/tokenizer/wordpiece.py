"""WordPiece: the longest subword that fits, again and again (Wu et al. 2016; Devlin et al. 2019).

    unaffable   →   un ##aff ##able

A subword that begins a word is written as it is; one that goes on has ## before it. A word is cut
from the left: of all subwords that begin where the last one ended, the longest is taken. Nothing
but the set of subwords matters, not their order, unlike with byte pairs.

BERT gives up on a word in which some place fits no subword, and takes the whole word for unknown.
Here such a character alone is spelled in bytes, so that any text comes back. BERT also parts words
at punctuation and forgets where the spaces were; here words end at spaces only. ▁ is a word that
begins with nothing: it stands for one of two spaces in a row, and before a word that no subword
begins. A text's own ## is no mark: a # at the beginning of a word and the one after it are never
one subword.
"""

from collections.abc import Mapping, Sequence

from dragoman.core.errors import DataError
from dragoman.data.tokenizer.escape import MARK
from dragoman.data.tokenizer.special_tokens import FIRST_PIECE, SPACE
from dragoman.data.tokenizer.subwords import SubwordTokenizer
from dragoman.data.tokenizer.tokenizer import byte_ids

MORE = "##"
"""Before a subword that goes on with a word."""


class WordPieceTokenizer(SubwordTokenizer):
    """Subwords that begin words, and with ## before them subwords that go on."""

    kind = "wordpiece"
    longest_piece = 34

    def __init__(self, learned: Sequence[str]) -> None:
        super().__init__(learned)
        self._first = {p: n for p, n in self.ids.items() if not p.startswith(MORE)}
        self._further = {p[len(MORE) :]: n for p, n in self.ids.items() if p.startswith(MORE)}
        self._longest = max(map(len, (*self._first, *self._further)), default=0)
        self._nothing = [self.ids[SPACE]] if SPACE in self.ids else byte_ids(SPACE)

    def begins_word(self, number: int) -> bool:
        """Whether a token begins a word, as every learned one does that has no ##."""
        return number >= FIRST_PIECE and not self.pieces[number].startswith(MORE)

    def _cut(self, word: str) -> list[int]:
        ids: list[int] = []
        place = 0
        if word[0] == SPACE:
            piece = self._fitting(word, 1, self._first)
            ids += [self._first[piece]] if piece else self._nothing
            place = 1 + len(piece)
        while place < len(word):
            piece = self._fitting(word, place, self._further)
            ids += [self._further[piece]] if piece else byte_ids(word[place])
            place += len(piece) or 1
        return ids

    def _fitting(self, word: str, place: int, pieces: Mapping[str, int]) -> str:
        """Return the longest subword that the word goes on with, or nothing."""
        for end in range(min(len(word), place + self._longest), place, -1):
            if word[place:end] in pieces:
                return word[place:end]
        return ""

    def _spelled(self, piece: str) -> str:
        if piece.startswith(MORE):
            return piece[len(MORE) :]
        return piece if piece == SPACE else SPACE + piece

    def _check(self, learned: Sequence[str]) -> None:
        super()._check(learned)
        for piece in learned:
            if piece == MORE or MARK in piece or (SPACE in piece and piece != SPACE):
                raise DataError(f"the vocabulary holds an impossible piece: {piece[:40]!r}.")
