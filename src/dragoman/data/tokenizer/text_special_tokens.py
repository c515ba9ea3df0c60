"""Special tokens around the texts of a causal language model.

ours        <s> text </s> <pad> …
GPT-2       <|endoftext|> text <|endoftext|>              one token parts texts; there is no padding
Llama       <s> text </s>                                 its tokenizer puts <s> before a text
SmolLM2     <|endoftext|> text <|im_end|>                 its tokenizer puts nothing before a text
"""

from dragoman.core.errors import DataError
from dragoman.data.tokenizer.imported import ImportedTokenizer
from dragoman.data.tokenizer.special_tokens import OURS, SpecialTokens
from dragoman.data.tokenizer.tokenizer import Tokenizer

PARTING = "<|endoftext|>"
"""The token between two texts where GPT-2 and those after it learned; so it begins one as well.

SmolLM2 names another token as the first of a chat, after which it expects no plain text.
"""


def text_special_tokens(tokenizer: Tokenizer) -> SpecialTokens:
    """Return the special tokens of a tokenizer; an imported one has those of its model."""
    if not isinstance(tokenizer, ImportedTokenizer):
        return OURS
    parting = tokenizer.ids.get(PARTING)
    end = parting if tokenizer.end is None else tokenizer.end
    if end is None:
        raise DataError(
            "the imported vocabulary has no token that ends a text, so none can be scored or "
            "written. Name it as eos_token in tokenizer_config.json, and import the model again."
        )
    first = parting if tokenizer.put_first is None else tokenizer.put_first
    start = end if first is None else first
    others = tokenizer.special | {tokenizer.pad, tokenizer.unknown}
    never = sorted(n for n in others if n is not None and n not in (start, end))
    padding = end if tokenizer.pad is None else tokenizer.pad
    return SpecialTokens(padding, start, end, end, frozenset(never), tuple(never))
