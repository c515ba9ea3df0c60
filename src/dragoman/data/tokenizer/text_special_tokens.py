"""Special tokens around the texts of a causal language model, none of their words.

ours        <s> text </s> <pad> …
GPT-2       <|endoftext|> text <|endoftext|>              one mark parts texts; there is no padding
Llama       <s> text </s>                                 its tokenizer puts <s> before a text
SmolLM2     <|endoftext|> text <|im_end|>                 its tokenizer puts nothing before a text
"""

from dataclasses import dataclass

from dragoman.core.errors import DataError
from dragoman.data.tokenizer.imported import ImportedTokenizer
from dragoman.data.tokenizer.special_tokens import END, PAD, START, UNKNOWN
from dragoman.data.tokenizer.tokenizer import Tokenizer

PARTING = "<|endoftext|>"
"""What stands between two texts where GPT-2 and those after it learned; so it begins one as well.

SmolLM2 names another mark as the first of a chat, after which it expects no plain text.
"""


@dataclass(frozen=True, slots=True)
class TextMarks:
    """The marks of one vocabulary."""

    start: int = START
    end: int = END
    padding: int = PAD
    """Fills rows up. It may be any entry, for what is no text is known by its place alone."""

    never: tuple[int, ...] = (PAD, START, UNKNOWN)
    """What is never written, because it is no text."""

    @property
    def ends(self) -> frozenset[int]:
        """What a text is over with: its end, or the beginning of another where that can come."""
        return frozenset((self.start, self.end)).difference(self.never)


OURS = TextMarks()


def text_marks(vocabulary: Tokenizer) -> TextMarks:
    """Return the marks of a vocabulary; one that came with a model has those of that model."""
    if not isinstance(vocabulary, ImportedTokenizer):
        return OURS
    parting = vocabulary.ids.get(PARTING)
    end = parting if vocabulary.end is None else vocabulary.end
    if end is None:
        raise DataError(
            "the imported vocabulary has no mark that ends a text, so none can be scored or "
            "written. Name it as eos_token in tokenizer_config.json, and import the model again."
        )
    first = parting if vocabulary.put_first is None else vocabulary.put_first
    start = end if first is None else first
    others = vocabulary.special | {vocabulary.pad, vocabulary.unknown}
    return TextMarks(
        start=start,
        end=end,
        padding=end if vocabulary.pad is None else vocabulary.pad,
        never=tuple(sorted(n for n in others if n is not None and n not in (start, end))),
    )
