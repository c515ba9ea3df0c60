"""A trained translator: text in, text out."""

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from pathlib import Path
from typing import get_args, overload

import torch

from dragoman.backends.engines import EngineName, SearchEngine, open_ctranslate2
from dragoman.backends.stutter_guard import stutter_guard_of
from dragoman.backends.torch_engine import TorchEngine
from dragoman.config.corpus import CorpusSettings, ImportedCorpus
from dragoman.config.reading import changed_settings, read_recipe
from dragoman.config.recipe import Recipe
from dragoman.config.sampling import SamplingSettings
from dragoman.config.task import TranslationTaskSettings
from dragoman.config.training import DecodingSettings
from dragoman.core.errors import ConfigError, DataError, RunError
from dragoman.data.corpus.tags import FindTag, tagging, written_languages
from dragoman.data.tokenizer.pair import TokenizerPair
from dragoman.engine.build import TranslationModel
from dragoman.engine.checkpoint.folder import RunFolder, trained_run
from dragoman.engine.checkpoint.network import LoadedNetwork, load_translation
from dragoman.engine.runtime import choose_device, keep_freed_memory
from dragoman.neural.decoding.protocol import Hypothesis
from dragoman.tasks.translation.long_texts import fit
from dragoman.tasks.translation.minimum_bayes_risk import least_risk
from dragoman.tasks.translation.shortlists import shortlist_of
from dragoman.tasks.translation.term_constraints import (
    Term,
    Terms,
    phrases_of,
    sentence_ends,
    terms_of_parts,
)
from dragoman.tasks.translation.translation import Translation as Translation
from dragoman.tasks.translation.translation import join_translations

Ids = list[int]


class BareTranslator:
    """Translate with one model, or several as one; answers come in the order of the questions."""

    def __init__(
        self,
        model: TranslationModel | None,
        tokenizer: TokenizerPair,
        decoding: DecodingSettings,
        *,
        longest: int,
        device: torch.device,
        corpus: CorpusSettings | None = None,
        also: Sequence[TranslationModel] = (),
        engine: SearchEngine | TorchEngine | None = None,
    ) -> None:
        self._model = model
        members = (*(() if model is None else (model,)), *also)
        self.engine = engine or TorchEngine(members, device)
        """Who searches: we, or another library in our stead."""
        self.also = tuple(also)
        """Models whose probabilities are averaged with the first one's."""
        self.tokenizer = tokenizer
        self.decoding = decoding
        self.longest = longest
        self.device = device
        self.corpus = corpus
        """Says which languages the model writes, and so which tags its sources need."""

    @classmethod
    def load(
        cls,
        run: str | Path,
        *,
        device: str = "auto",
        also: Sequence[str | Path] = (),
        engine: EngineName = "torch",
    ) -> "BareTranslator":
        """Load the translator that a run folder holds.

        The runs of `also` translate with it as one: their probabilities are averaged. They must
        have the same tokenizer; how to search is what the first run says. With another engine the
        run may also be a folder that was exported for it.
        """
        if engine not in get_args(EngineName):
            known = ", ".join(get_args(EngineName))
            raise ConfigError(f"there is no engine {engine!r}. Known: {known}.")
        if engine == "ctranslate2":
            return cls._by_ctranslate2(Path(run), choose_device(device), bool(also))
        folder = trained_run(Path(run))
        others = [trained_run(Path(path)) for path in also]
        for other in others:
            _check_member(folder, other)
        members = [load_translation(one) for one in (folder, *others)]
        first, chosen = members[0], choose_device(device)
        keep_freed_memory()
        models = [member.model.to(chosen) for member in members]
        return cls(
            models[0],
            first.tokenizer,
            first.recipe.decoding,
            longest=min(member.longest_source for member in members),
            device=chosen,
            corpus=corpus_of_languages(first.recipe),
            also=models[1:],
            engine=TorchEngine(
                models,
                chosen,
                fixed=True,
                shortlist=lambda count: shortlist_of(folder, first.tokenizer, count),
                stutter_guard=lambda: stutter_guard_of(folder.path, first.tokenizer),
            ),
        )

    @classmethod
    def of(cls, network: LoadedNetwork) -> "BareTranslator":
        """Make a translator of a network that is loaded, on the processor."""
        return cls(
            network.model,
            network.tokenizer,
            network.recipe.decoding,
            longest=network.longest_source,
            device=torch.device("cpu"),
            corpus=corpus_of_languages(network.recipe),
        )

    @classmethod
    def _by_ctranslate2(cls, path: Path, device: torch.device, several: bool) -> "BareTranslator":
        if several:
            raise ConfigError("CTranslate2 translates with one model. Use the engine torch.")
        opened = open_ctranslate2(path, device)
        exported = opened.exported
        return cls(
            None,
            exported.tokenizer,
            exported.recipe.decoding,
            longest=exported.facts.longest_source,
            device=device,
            corpus=exported.recipe.corpus_for(TranslationTaskSettings),
            engine=opened.search,
        )

    @property
    def model(self) -> TranslationModel:
        """The network, where it is ours that translates."""
        if self._model is None:
            raise ConfigError(
                "this needs the network itself, and CTranslate2 does not show it. "
                "Use the engine torch."
            )
        return self._model

    @overload
    def translate(
        self, text: str, *, beam: int | None = None, to: str | None = None, prefix: str = ""
    ) -> str: ...
    @overload
    def translate(
        self, text: list[str], *, beam: int | None = None, to: str | None = None, prefix: str = ""
    ) -> list[str]: ...
    def translate(
        self,
        text: str | list[str],
        *,
        beam: int | None = None,
        to: str | None = None,
        prefix: str = "",
    ) -> str | list[str]:
        """Return the best translation of a text, or of each of several.

        `to` names the language to write; a model that writes only one needs no telling. With
        `prefix` every translation begins with these words.
        """
        texts = [text] if isinstance(text, str) else text
        found = self.candidates(texts, beam=beam, to=to, prefixes=[prefix] * len(texts))
        return found[0][0].text if isinstance(text, str) else [best[0].text for best in found]

    def searching(self, decoding: DecodingSettings) -> "BareTranslator":
        """Return a translator with the same network that searches in another way."""
        other = copy(self)
        other.decoding = decoding
        return other

    def with_settings(self, changes: Sequence[str]) -> "BareTranslator":
        """Return one that searches as `key=value` changes of its decoding settings say."""
        return self.searching(changed_settings("decoding", self.decoding, changes))

    def sample(
        self,
        texts: Sequence[str],
        count: int = 1,
        settings: SamplingSettings | None = None,
        *,
        seed: int | None = None,
        to: str | None = None,
    ) -> list[list[Translation]]:
        """Draw `count` translations of each text at random, in the order of their drawing.

        They follow from the seed and the text alone. What is left out is as the recipe has it.
        """
        own = self.decoding
        changes = {
            "search": "sample",
            "sampling": settings or own.sampling,
            "seed": own.seed if seed is None else seed,
        }
        drawing = self.searching(own.model_copy(update=changes))
        return drawing.candidates(texts, nbest=count, to=to)

    def candidates(
        self,
        texts: Sequence[str],
        *,
        beam: int | None = None,
        nbest: int = 1,
        to: str | None = None,
        prefixes: Sequence[str] | None = None,
        terms: Terms | None = None,
        after_batch: Callable[[int], None] | None = None,
    ) -> list[list[Translation]]:
        """Return the `nbest` translations of each text, best first.

        A text longer than any that the model was trained on is cut at sentence ends, and its
        translation joined again; the joined one counts as a single candidate. With `prefixes` the
        translation of each text begins with its own: whole words, blanks folded; an empty text
        stays empty. With `terms` it holds at least one spelling of each of its own terms; a
        function is asked for the terms of each part of a text instead. `after_batch` is told how
        many texts each batch has finished.
        """
        chosen = self._decoding(beam, nbest)
        begins = [""] * len(texts) if prefixes is None else [_clean(prefix) for prefix in prefixes]
        if len(begins) != len(texts):
            raise DataError(f"{len(begins)} prefixes for {len(texts)} texts. Give each text one.")
        self._check_search(chosen, told=any(begins), terms=terms is not None)
        pieces = self.cut(texts, to)
        wanted = terms_of_parts(terms, pieces)
        flat = [(t, p) for t, parts in enumerate(pieces) for p in range(len(parts))]
        sources = [self.tokenizer.encode_source(pieces[t][p]) for t, p in flat]
        answers: list[list[list[Translation]]] = [[[]] * len(parts) for parts in pieces]
        for rows in self._batches(sources, chosen, _width(chosen, nbest)):
            told = [begins[t] if p == 0 else "" for t, p in (flat[row] for row in rows)]
            held = [wanted[t][p] for t, p in (flat[row] for row in rows)]
            found = self._search([sources[r] for r in rows], chosen, nbest, told, held)
            for row, translations in zip(rows, found, strict=True):
                t, p = flat[row]
                answers[t][p] = translations
            if after_batch:
                after_batch(sum(flat[row][1] == 0 for row in rows))
        return [join_translations(parts, each=chosen.search == "sample") for parts in answers]

    def cut(self, texts: Sequence[str], to: str | None = None) -> list[list[str]]:
        """Cut each text into parts that the model can read, with the tag of what is to be written.

        An empty text has none.
        """
        find_tag = tagging(self.corpus, to)
        return [self._pieces(text, find_tag) for text in texts]

    def decode_outputs(self, found: Sequence[Hypothesis], told: str = "") -> list[Translation]:
        """Return what the outputs of a search say, which were told to begin with some words."""
        return [
            Translation(self._text(h.tokens, told), h.score, h.log_probability, h.tokens, h.unmet)
            for h in found
        ]

    def check_terms(self) -> None:
        """Refuse terms where the search cannot place any."""
        self._check_search(self.decoding, told=False, terms=True)

    def _decoding(self, beam: int | None, nbest: int) -> DecodingSettings:
        width, groups = beam or self.decoding.beam, self.decoding.groups
        if width < nbest:
            width = -(-nbest // groups) * groups
        if width == self.decoding.beam:
            return self.decoding
        return changed_settings("decoding", self.decoding, [f"beam={width}"])

    def _check_search(self, chosen: DecodingSettings, *, told: bool, terms: bool) -> None:
        """Refuse what a search cannot do, before anything is translated."""
        if chosen.search != "beam" and (told or terms):
            raise ConfigError(
                f"decoding.search = {chosen.search!r} draws by chance, and cannot be told how a "
                "translation begins or what it holds. Use the search 'beam'."
            )
        plain = chosen.search == "beam" and chosen.groups == 1 and not chosen.coverage_penalty
        if not isinstance(self.engine, TorchEngine) and (terms or not plain):
            raise ConfigError(
                "this engine has a plain beam: it knows no terms, draws nothing, and has no groups "
                "and no coverage. Use the engine torch."
            )

    def _pieces(self, text: str, find_tag: FindTag) -> list[str]:
        """Cut a text into parts that the model can read, each with the tag of the whole."""
        clean = _clean(text)
        if not clean:
            return []
        tag, rest = find_tag(clean)
        room = max(1, self.longest - (2 if tag else 1))
        return [
            tag + piece for piece in fit(rest, room, lambda t: len(self.tokenizer.encode_source(t)))
        ]

    def _batches(
        self, sources: list[Ids], chosen: DecodingSettings, width: int
    ) -> Iterator[list[int]]:
        """Group sources of similar length, longest first, within the budget of slots."""
        order = sorted(range(len(sources)), key=lambda i: -len(sources[i]))
        place = 0
        while place < len(order):
            slots = (len(sources[order[place]]) + 1) * width
            size = max(1, chosen.batch_tokens // slots)
            yield order[place : place + size]
            place += size

    def _search(
        self,
        sources: list[Ids],
        chosen: DecodingSettings,
        nbest: int,
        told: list[str],
        held: list[Sequence[Term]],
    ) -> list[list[Translation]]:
        """Look for the translations of a batch; each begins as it is told and holds its terms."""
        target = self.tokenizer.target
        begins = [target.encode(words) for words in told]
        if not isinstance(self.engine, TorchEngine):
            found = self.engine(sources, chosen, nbest, begins)
        elif chosen.search != "beam":
            found = self.engine.sample_batch(sources, chosen, _width(chosen, nbest))
        else:
            phrases = [[phrases_of(term, target) for term in each] for each in held]
            ends = sentence_ends(self.tokenizer, sources) if any(phrases) else None
            found = self.engine.search(sources, chosen, nbest, begins, phrases, ends)
        translations = [
            self.decode_outputs(each, words) for each, words in zip(found, told, strict=True)
        ]
        if chosen.search == "mbr":
            return [least_risk(drawn)[:nbest] for drawn in translations]
        return translations

    def _text(self, tokens: Sequence[int], told: str) -> str:
        """Return the text of an output; the words it was told stand as they were given."""
        target = self.tokenizer.target
        text = _one_line(target.decode(tokens))
        known = target.decode(target.encode(told))  # what is not in the vocabulary is unknown here
        return told + text.removeprefix(known) if told and text.startswith(known) else text


def _check_member(first: RunFolder, other: RunFolder) -> None:
    """Refuse a run whose numbers mean other words."""
    ours, theirs = TokenizerPair.load(first.tokenizer), TokenizerPair.load(other.tokenizer)
    mine = [(side.kind, side.pieces) for side in (ours.source, ours.target)]
    same = mine == [(side.kind, side.pieces) for side in (theirs.source, theirs.target)]
    tags = written_by(read_recipe(first.recipe))
    if not same or written_by(read_recipe(other.recipe)) != tags:
        raise RunError(
            f"{other.path}: has another tokenizer or other languages than {first.path}, so the two "
            "cannot translate together. Train both with the same [corpus], [tokenizer] and "
            "corpus.seed, and different seeds."
        )


def written_by(recipe: Recipe) -> tuple[str, ...]:
    """Return the languages that a run tells apart by tags; none where it writes only one."""
    corpus = corpus_of_languages(recipe)
    return () if corpus is None else written_languages(corpus)


def corpus_of_languages(recipe: Recipe) -> CorpusSettings | None:
    """Return the corpus that says which languages a run translates; an imported one has none."""
    recipe.task_for(TranslationTaskSettings)
    if isinstance(recipe.corpus, ImportedCorpus):
        return None
    return recipe.corpus_for(TranslationTaskSettings)


def _clean(text: str) -> str:
    return " ".join(text.replace("\x00", "").split())


def _one_line(text: str) -> str:
    """Whatever any program may take for the end of a line becomes a space."""
    return " ".join(text.splitlines()).strip(" ")


def _width(chosen: DecodingSettings, nbest: int) -> int:
    """Return how many rows a search has for each text."""
    return {"beam": chosen.beam, "sample": nbest, "mbr": chosen.samples}[chosen.search]
