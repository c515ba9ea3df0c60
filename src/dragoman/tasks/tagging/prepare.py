"""From tagged sentences to token numbers on disk, once per run; a resume finds them there."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from dragoman.config.recipe import Recipe
from dragoman.config.task import TaggingTaskSettings
from dragoman.core.console import progress_bar, say
from dragoman.data.batching.store import TokenStore, write_store
from dragoman.data.tokenizer.pair import TokenizerPair
from dragoman.data.tokenizer.tokenizer import Tokenizer
from dragoman.data.tokenizer.train import train_tokenizer
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.tasks.common.fine_tuning import base_tokenizer
from dragoman.tasks.common.preparation import prepare_once
from dragoman.tasks.tagging.batches import Row, portions, subwords_of, targets_of
from dragoman.tasks.tagging.corpus import TaggedSentences, open_tagged
from dragoman.tasks.tagging.held_out import load_held_out_tagged, save_held_out_tagged
from dragoman.tasks.tagging.sentences import TaggedSentence


@dataclass(frozen=True)
class PreparedTags:
    """Tagged sentences, ready to train on."""

    tokenizer: Tokenizer
    store: TokenStore
    labels: dict[str, int]
    """How many training words have each label; a label's number is its turn."""

    valid: list[TaggedSentence]


def prepare_tagged(folder: RunFolder, recipe: Recipe) -> PreparedTags:
    """Read, split and encode tagged sentences into the run folder, unless they are there."""
    prepare_once(folder, recipe, lambda: _prepare(folder, recipe))
    held_out = load_held_out_tagged(folder.data)
    return PreparedTags(
        tokenizer=TokenizerPair.load(folder.tokenizer).source,
        store=TokenStore.open(folder.data, "train"),
        labels=held_out.labels,
        valid=held_out.valid,
    )


def rows_of(
    tokenizer: Tokenizer, numbers: Mapping[str, int], sentence: TaggedSentence, max_length: int
) -> Iterator[Row]:
    """Yield what a network reads of a sentence, and what it is asked: one row, or several."""
    labels = iter([numbers[label] for label in sentence.labels])
    for portion in portions(subwords_of(tokenizer, sentence.words), max_length):
        yield portion.tokens, targets_of(portion, [next(labels) for _ in portion.first])


def _prepare(folder: RunFolder, recipe: Recipe) -> None:
    say("reading the sentences …")
    sentences = open_tagged(recipe.corpus_for(TaggingTaskSettings), recipe.seed)
    tokenizer = _tokenizer(recipe, sentences)
    TokenizerPair(tokenizer, tokenizer).save(folder.tokenizer)
    numbers = {label: number for number, label in enumerate(sentences.labels)}
    max_length = recipe.batches.max_length
    with progress_bar("encoding", sentences.train_sentences) as bar:
        rows = _encode(tokenizer, numbers, sentences.train(), max_length, bar.advance)
        store = write_store(folder.data, "train", rows)
    if more := len(store) - sentences.train_sentences:
        sentences.findings.append(
            f"{more:,} cuts inside sentences that are longer than batches.max_length = {max_length}"
        )
    save_held_out_tagged(sentences, folder.data)
    for finding in sentences.findings:
        say(f"  {finding}")
    say(
        f"{sentences.train_sentences:,} sentences to train on, {len(sentences.valid):,} to "
        f"validate, {len(sentences.test):,} to test; vocabulary {tokenizer.size:,}"
    )


def _tokenizer(recipe: Recipe, sentences: TaggedSentences) -> Tokenizer:
    """Learn a vocabulary, or take that of the run that this one starts from."""
    if recipe.start is not None:
        return base_tokenizer(recipe.start).source
    lines = (one.text for one in sentences.train())
    return train_tokenizer(recipe.tokenizer, lines, sentences.findings)


def _encode(
    tokenizer: Tokenizer,
    numbers: Mapping[str, int],
    sentences: Iterable[TaggedSentence],
    max_length: int,
    advance: Callable[[int], None],
) -> Iterator[Row]:
    for one in sentences:
        yield from rows_of(tokenizer, numbers, one, max_length)
        advance(1)
