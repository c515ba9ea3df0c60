"""From plain text to token numbers on disk, once per run; a resume finds them there."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from dragoman.config.corpus import ImportedCorpus, TextCorpus, TextSettings
from dragoman.config.reading import read_recipe
from dragoman.config.recipe import Recipe
from dragoman.config.start import StartSettings
from dragoman.core.console import progress_bar, say
from dragoman.core.errors import DataError
from dragoman.data.batching.arrays import check_ids
from dragoman.data.batching.text_store import TextStore, write_texts
from dragoman.data.corpus.held_out_texts import load_held_out_texts, save_held_out_texts
from dragoman.data.corpus.text import Document, Texts, open_texts, read_documents
from dragoman.data.formats.findings import Findings
from dragoman.data.tokenizer.pair import TokenizerPair
from dragoman.data.tokenizer.tokenizer import Tokenizer
from dragoman.data.tokenizer.train import train_tokenizer
from dragoman.engine.checkpoint.folder import RunFolder, trained_run
from dragoman.tasks.common.fine_tuning import base_tokenizer
from dragoman.tasks.common.preparation import prepare_once
from dragoman.tasks.common.set_names import name_of_files

Encoding = Callable[[Tokenizer, Document], list[list[int]]]
"""How a document becomes lines of token numbers."""


@dataclass(frozen=True)
class PreparedTexts:
    """Plain text, ready to train on."""

    tokenizer: Tokenizer
    store: TextStore
    valid: list[Document]


def encode_each_line(tokenizer: Tokenizer, document: Document) -> list[list[int]]:
    """Encode a document line by line."""
    return tokenizer.encode_batch(document)


def prepare_texts(
    folder: RunFolder,
    recipe: Recipe,
    corpus: TextSettings,
    *,
    encode: Encoding = encode_each_line,
    check_start: Callable[[StartSettings, Tokenizer], None] = lambda start, tokenizer: None,
) -> PreparedTexts:
    """Read, split and encode plain text into the run folder, unless it is there already.

    `check_start` may refuse the vocabulary of the run that this one starts from.
    """

    def prepare_it() -> None:
        say("reading the text …")
        texts = open_texts(corpus, recipe.seed)
        tokenizer = _tokenizer(recipe, texts, check_start)
        _encode(folder, texts, tokenizer, encode)

    prepare_once(folder, recipe, prepare_it)
    tokenizer = TokenizerPair.load(folder.tokenizer).source
    store = TextStore.open(folder.data, "train")
    check_ids(folder.data, "train", store.tokens, tokenizer.size)
    return PreparedTexts(
        tokenizer=tokenizer,
        store=store,
        valid=load_held_out_texts(folder.data).valid,
    )


def _encode(folder: RunFolder, texts: Texts, tokenizer: Tokenizer, encode: Encoding) -> None:
    TokenizerPair(tokenizer, tokenizer).save(folder.tokenizer)
    with progress_bar("encoding", texts.train_documents) as bar:
        store = write_texts(
            folder.data,
            "train",
            _counted(texts.train(), lambda one: encode(tokenizer, one), bar.advance),
            newline=tokenizer.newline,
            vocab_size=tokenizer.size,
        )
    save_held_out_texts(texts, folder.data)
    for finding in texts.findings:
        say(f"  {finding}")
    say(
        f"{texts.train_documents:,} documents with {len(store.tokens):,} tokens to train on, "
        f"{len(texts.valid):,} to validate, {len(texts.test):,} to test; "
        f"vocabulary {tokenizer.size:,}"
    )


def _tokenizer(
    recipe: Recipe, texts: Texts, check_start: Callable[[StartSettings, Tokenizer], None]
) -> Tokenizer:
    """Learn a vocabulary, or take that of the run that this one starts from."""
    if recipe.start is not None:
        tokenizer = base_tokenizer(recipe.start).source
        check_start(recipe.start, tokenizer)
        return tokenizer
    lines = (line for document in texts.train() for line in document)
    return train_tokenizer(recipe.tokenizer, lines, texts.findings)


def _counted(
    documents: Iterable[Document],
    encode: Callable[[Document], list[list[int]]],
    advance: Callable[[int], None],
) -> Iterator[list[list[int]]]:
    for document in documents:
        yield encode(document)
        advance(1)


def documents_to_test(run: Path, files: Sequence[Path]) -> dict[str, list[Document]]:
    """Return the text to test a run on: its own held-out documents, or the given files."""
    folder = trained_run(run)
    corpus = read_recipe(folder.recipe).corpus
    if not files:
        if isinstance(corpus, ImportedCorpus):
            raise DataError(f"{run}: was imported without any text. Name a file to test it on.")
        return {"test": load_held_out_texts(folder.data).test}
    paragraphs = isinstance(corpus, TextCorpus) and corpus.documents == "paragraphs"
    lines = not paragraphs and not isinstance(corpus, ImportedCorpus)
    found = list(read_documents(files, lines=lines, repair=True, findings=Findings()))
    if not found:
        raise DataError(f"{files[0]}: holds no text to test on.")
    own = () if isinstance(corpus, ImportedCorpus) else ("test",)
    return {name_of_files(folder, files, own): found}
