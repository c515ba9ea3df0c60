"""Plain text as a language model is validated on it."""

from collections.abc import Sequence
from dataclasses import dataclass

from dragoman.config.batches import BatchSettings
from dragoman.data.batching.chunks import ChunkStream
from dragoman.data.batching.text_batch import TextBatch
from dragoman.data.batching.text_store import TextStore
from dragoman.data.corpus.text import Document
from dragoman.data.tokenizer.text_special_tokens import text_special_tokens
from dragoman.data.tokenizer.tokenizer import Tokenizer
from dragoman.tasks.common.lines import encode_document


@dataclass(frozen=True)
class TextSize:
    """The size of a text: predicted tokens, END included, and bytes of UTF-8."""

    tokens: int
    bytes: int


def size_of(tokenizer: Tokenizer, documents: Sequence[Document]) -> TextSize:
    """Measure documents; a newline between two lines is a byte, the end of a document is none."""
    encoded = [encode_document(tokenizer, document) for document in documents]
    tokens = sum(sum(map(len, lines)) + len(lines) for lines in encoded)
    text = sum(len("\n".join(document).encode("utf-8")) for document in documents)
    return TextSize(tokens, max(1, text))


def chunk_batches(
    tokenizer: Tokenizer, documents: Sequence[Document], settings: BatchSettings, packed: bool
) -> list[TextBatch]:
    """Cut held-out documents into chunks and gather these in batches."""
    encoded = (encode_document(tokenizer, document) for document in documents)
    store = TextStore.of(encoded, tokenizer.newline)
    stream = ChunkStream(store, settings, 0, packed=packed, special=text_special_tokens(tokenizer))
    plan = stream.plan(0)
    return [stream.batch(plan, number, 0) for number in range(len(plan))]
