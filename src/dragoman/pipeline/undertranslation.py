"""Undertranslation: where a translation is far shorter than its source, something was left out.

    a sentence of many clauses → three words         one clause was translated, the rest is gone
    its halves, each by itself → all of it           cut after a comma where there is one

How short a translation may be is learned from the training pairs.
"""

from collections.abc import Sequence

from dragoman.metrics.hallucinations import UsualRatios
from dragoman.metrics.loops import loop
from dragoman.pipeline.sentence_splitting import ProtectedSentence, SplitText, split_text
from dragoman.tasks.translation.long_texts import ENDS

FEWEST = 6
"""Words of a source that has parts."""


def is_undertranslated(sentence: ProtectedSentence, text: str, usual: UsualRatios | None) -> bool:
    """Say whether a sentence of several parts has too short a translation."""
    if usual is None or len(sentence.text.split()) < FEWEST:
        return False
    return usual.is_short(sentence.text, text)


def halves(sentence: ProtectedSentence) -> SplitText:
    """Cut a sentence into two parts of about one size; what must survive is not cut through."""
    words = len(sentence.text.split())
    return split_text(sentence.text, sentence.verbatim, longest=-(-words // 2))


def join_parts(split: SplitText, translations: Sequence[str]) -> str:
    """Put the translations of a sentence's parts together; they begin and end as the parts do."""
    joined = list(split.parts)
    joined[1::2] = [
        _as_part(source.text, text)
        for source, text in zip(split.sentences, translations, strict=True)
    ]
    return "".join(joined)


def is_fuller(source: str, text: str, than: str) -> bool:
    """Say whether one translation of a source is longer than another, and not by repetition."""
    return len(text) > len(than) and loop(text, source) is None


def _as_part(source: str, text: str) -> str:
    """Take from the translation of a part what only whole sentences have."""
    if source[-1:] not in ENDS:
        text = text.rstrip("".join(ENDS))
    small_to_large = source[:1].islower() and text[:1].isupper() and text[1:2].islower()
    return text[:1].lower() + text[1:] if small_to_large else text
