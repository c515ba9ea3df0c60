"""Loading the pipeline of a run: what is known of its text."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from dragoman.config.corpus import CorpusSettings
from dragoman.config.reading import read_recipe
from dragoman.core.console import say
from dragoman.core.errors import RunError
from dragoman.data.batching.arrays import has_store
from dragoman.data.batching.store import TokenStore
from dragoman.data.corpus.held_out import load_held_out
from dragoman.data.corpus.split_file import has_split
from dragoman.data.corpus.tags import directions, tag
from dragoman.data.formats.languages import LanguagePair
from dragoman.data.formats.placeholders import split_tags
from dragoman.data.tokenizer.pair import TokenizerPair
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.metrics.hallucinations import UsualRatios
from dragoman.pipeline.casing import Casing
from dragoman.pipeline.confidence import Confidence
from dragoman.pipeline.glossary import Glossary
from dragoman.pipeline.memory import TranslationMemory
from dragoman.pipeline.punctuation import Punctuation
from dragoman.pipeline.scripts import Scripts
from dragoman.pipeline.sentence_splitting import Seam
from dragoman.pipeline.sentences import SentencePipeline
from dragoman.pipeline.spelling import MOST, Speller, count_words
from dragoman.pipeline.text_boundaries import Seams
from dragoman.pipeline.text_warnings import TrainingDomain
from dragoman.tasks.translation.bare_translator import BareTranslator

USUAL = 0.98
"""Share of the training sentences that are not too long; beyond it a network has seen few."""

FEWEST = 12
"""Words that a sentence may always have."""

WHOLE = 1.5
"""How many times that length a sentence may have: to cut one that the network can translate whole
costs more than it gains. Set on validation pairs, plain and in rows (docs/results/pipeline.md)."""

SLACK = 1.1
"""How much shorter still a translation must be than all but 0.1 % of the validation references."""

SHORT = 0.7
"""The ratio of lengths from which on no translation counts as far too short."""

FEWEST_PAIRS = 100
"""Validation pairs without which nothing is learned of lengths."""


@dataclass(frozen=True)
class PipelineOptions:
    """Options of the translation pipeline."""

    to: str | None = None
    beam: int | None = None
    glossary: Path | None = None
    memory: Path | None = None


def load_pipeline(
    run: Path, translator: BareTranslator, options: PipelineOptions | None = None
) -> SentencePipeline:
    """Put the pipeline around a run's network, with what is known of the run's text."""
    options = options or PipelineOptions()
    folder = RunFolder(run)
    wanted = languages(translator, options.to)
    glossary = None if options.glossary is None else Glossary.read(options.glossary)
    memory = (
        TranslationMemory()
        if options.memory is None
        else TranslationMemory.read(options.memory, wanted)
    )
    sources = _sources(folder, translator.tokenizer)
    words, longest = count_words(sources), _longest(sources)
    pairs = _held_out_pairs(folder, translator.corpus, options.to)
    scripts = _scripts(pairs) if options.to is None else None
    return SentencePipeline(
        translator,
        symbols=_knows_symbols(folder),
        glossary=glossary,
        memory=memory,
        mend=Speller(words) if words else None,
        casing=Casing(words),
        longest=longest,
        seam=_lazy_seams(sources) if sources else None,
        usual=_usual(pairs),
        punctuation=Punctuation(pairs) if pairs else None,
        scripts=scripts,
        domain=TrainingDomain(words, [source for source, _ in pairs], wanted.source, scripts),
        confidence=_confidence(folder, translator.tokenizer),
        to=options.to,
        beam=options.beam,
    )


def languages(translator: BareTranslator, to: str | None) -> LanguagePair:
    """Return the languages that a translator is asked to translate between."""
    if translator.corpus is None:
        return LanguagePair(target=to or LanguagePair().target)
    ways = [way for way in directions(translator.corpus) if to in (None, way[1])]
    return LanguagePair(*ways[0]) if ways else LanguagePair(target=to or LanguagePair().target)


def _knows_symbols(folder: RunFolder) -> bool:
    if not folder.recipe.is_file():  # an export knows what its run knew, but does not say it
        return False
    return read_recipe(folder.recipe).augmentation.symbols > 0


def _sources(folder: RunFolder, tokenizer: TokenizerPair) -> list[str]:
    """Return sources of the training text, spread over it; none where a run was moved without it.

    Without them no words are known, and no sentence is cut.
    """
    if not has_store(folder.data, "train"):
        return []
    store = TokenStore.open(folder.data, "train")
    examples = range(0, len(store), max(1, -(-len(store) // MOST)))
    tokens = (store.example(example)[0].tolist() for example in examples)
    return [split_tags(tokenizer.source.decode(each))[1] for each in tokens]


def _usual(pairs: Sequence[tuple[str, str]]) -> UsualRatios | None:
    """Learn how short a translation may be; in a corpus of equal lengths, somewhat shorter."""
    if len(pairs) < FEWEST_PAIRS:
        return None
    found = UsualRatios.of(pairs, slack=SLACK)
    return replace(found, least=min(found.least, SHORT))


def _lazy_seams(sources: Sequence[str]) -> Seam:
    """Count how texts begin and end when a sentence is first too long: few ever are."""
    seams = cache(lambda: Seams(sources))
    return lambda before, after: seams()(before, after)


def _confidence(folder: RunFolder, tokenizer: TokenizerPair) -> Confidence | None:
    """Return what a run has learned of its own doubts; what cannot be read is left out."""
    if not folder.confidence.exists():
        return None
    try:
        return Confidence.load(folder, tokenizer)
    except RunError as error:
        say(f"{error} Translations come without warnings until then.", style="yellow")
        return None


def _longest(sources: Sequence[str]) -> int:
    """Return the words of a sentence that is not too long; 0 where nothing is known."""
    lengths = sorted(len(sentence.split()) for sentence in sources)
    long = lengths[int(USUAL * (len(lengths) - 1))] if lengths else 0
    return int(WHOLE * max(FEWEST, long)) if long else 0


def _held_out_pairs(
    folder: RunFolder, corpus: CorpusSettings | None, to: str | None
) -> list[tuple[str, str]]:
    """Return the pairs of the validation set, of a model of several languages those into one."""
    if not has_split(folder.data):
        return []
    pairs = load_held_out(folder.data).valid
    wanted = f"{tag(corpus, to)} ".lstrip() if corpus is not None and to is not None else ""
    return [(split_tags(one)[1], other) for one, other in pairs if one.startswith(wanted)]


def _scripts(pairs: Sequence[tuple[str, str]]) -> Scripts | None:
    """Learn the scripts from the validation set, unless a model writes several languages."""
    if not pairs:
        return None
    return Scripts((source for source, _ in pairs), (target for _, target in pairs))
