"""Single characters, composed (NFC), with byte fallback: the simplest lossless vocabulary."""

from collections.abc import Sequence

from dragoman.data.tokenizer.escape import escape, normalize, unescape
from dragoman.data.tokenizer.special_tokens import PLACEHOLDER, PLACEHOLDER_IDS, SPACE
from dragoman.data.tokenizer.tokenizer import Ids, Tokenizer, byte_ids, byte_table


class CharacterTokenizer(Tokenizer):
    """The most frequent characters, most frequent first; a space is ▁."""

    kind = "characters"
    longest_piece = 1

    def __init__(self, learned: Sequence[str]) -> None:
        super().__init__(learned)
        self._bytes = byte_table(self.pieces)

    def encode(self, text: str) -> list[int]:
        """Return one number for each character, without START and END."""
        ids: list[int] = []
        known = self.ids
        for place, part in enumerate(PLACEHOLDER.split(escape(normalize(text)))):
            if place % 2:
                ids.append(PLACEHOLDER_IDS[part])
                continue
            for character in part.replace(" ", SPACE):
                number = known.get(character)
                ids += byte_ids(character) if number is None else (number,)
        return ids

    def decode(self, ids: Ids) -> str:
        """Return the text of any numbers; bytes that are not UTF-8 become U+FFFD."""
        table = self._bytes
        text = b"".join([table[number] for number in self._known(ids)]).decode("utf-8", "replace")
        return unescape(text.replace(SPACE, " "))
