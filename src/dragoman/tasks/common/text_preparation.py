"""From plain text to token numbers on disk, once per run; a resume finds them there."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from dragoman.config.corpus import ImportedCorpus, TextCorpus
from dragoman.config.reading import read_recipe
from dragoman.config.recipe import Recipe
from dragoman.core.console import progress_bar, say
from dragoman.core.errors import ConfigError, DataError
from dragoman.data.batching.text_store import TextStore, write_texts
from dragoman.data.corpus.held_out_texts import load_held_out_texts, save_held_out_texts
from dragoman.data.corpus.text import Document, Texts, open_texts, read_documents
from dragoman.data.formats.findings import Findings
from dragoman.data.tokenizer.imported import ImportedTokenizer
from dragoman.data.tokenizer.pair import TokenizerPair
from dragoman.data.tokenizer.tokenizer import Tokenizer
from dragoman.data.tokenizer.train import train_tokenizer
from dragoman.engine.checkpoint.folder import RunFolder, trained_run
from dragoman.tasks.common.fine_tuning import base_tokenizer
from dragoman.tasks.common.lines import encode_document
from dragoman.tasks.common.preparation import prepare_once


@dataclass(frozen=True)
class PreparedTexts:
    """Plain text, ready to train on."""

    tokenizer: Tokenizer
    store: TextStore
    valid: list[Document]


def prepare_texts(folder: RunFolder, recipe: Recipe) -> PreparedTexts:
    """Read, split and encode plain text into the run folder, unless it is there already."""
    prepare_once(folder, recipe, _prepare)
    return PreparedTexts(
        tokenizer=TokenizerPair.load(folder.tokenizer).source,
        store=TextStore.open(folder.data, "train"),
        valid=load_held_out_texts(folder.data).valid,
    )


def _prepare(folder: RunFolder, recipe: Recipe) -> None:
    say("reading the text …")
    texts = open_texts(recipe.texts, recipe.seed)
    tokenizer = _tokenizer(recipe, texts)
    TokenizerPair(tokenizer, tokenizer).save(folder.tokenizer)
    with progress_bar("encoding", texts.train_documents) as bar:
        store = write_texts(
            folder.data,
            "train",
            _encode(recipe, tokenizer, texts.train(), bar.advance),
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


def _tokenizer(recipe: Recipe, texts: Texts) -> Tokenizer:
    """Learn a vocabulary, or take that of the run that this one starts from."""
    if recipe.start is not None:
        tokenizer = base_tokenizer(recipe.start).source
        if isinstance(tokenizer, ImportedTokenizer) and recipe.task.kind == "spans":
            raise ConfigError(
                f"start.from: {recipe.start.run} was imported and has marks of its own, which "
                "task.kind = 'spans' does not know yet. Start from a run that was trained here."
            )
        return tokenizer
    lines = (line for document in texts.train() for line in document)
    return train_tokenizer(recipe.tokenizer, lines, texts.findings)


def _encode(
    recipe: Recipe,
    tokenizer: Tokenizer,
    documents: Iterable[Document],
    advance: Callable[[int], None],
) -> Iterator[list[list[int]]]:
    """Encode documents line by line; a causal model needs no lines, but the text as it is cut."""
    for document in documents:
        if recipe.task.kind == "language":
            yield encode_document(tokenizer, document)
        else:
            yield tokenizer.encode_batch(document)
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
    return {files[0].name.split(".")[0]: found}
