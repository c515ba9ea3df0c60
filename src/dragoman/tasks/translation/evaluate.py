"""Judging a run: the same code for validation while training and for the test verb afterwards."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from dragoman.config.corpus import CorpusSettings
from dragoman.config.reading import changed_keys, read_recipe
from dragoman.core.console import say
from dragoman.core.errors import ConfigError, DataError
from dragoman.core.files import explain_write_error, write_atomic
from dragoman.data.corpus.held_out import load_held_out
from dragoman.data.corpus.split_file import NAME as SPLIT
from dragoman.data.corpus.tags import directions, plain_name
from dragoman.data.formats.findings import Findings
from dragoman.data.formats.languages import LanguagePair
from dragoman.data.formats.pair import Pair
from dragoman.data.formats.placeholders import split_tags
from dragoman.data.formats.read import read_pairs
from dragoman.engine.checkpoint.folder import RunFolder, trained_run
from dragoman.metrics.by_length import by_length
from dragoman.metrics.multi_reference import (
    MultiReferenceScores,
    references_by_source,
    score_by_all_references,
)
from dragoman.metrics.scores import Score, exact_match, score
from dragoman.tasks.common.card import store_scores, tell_unstored
from dragoman.tasks.common.set_names import SETTINGS, name_of_files
from dragoman.tasks.translation.alignment import AlignmentEvaluation, evaluate_alignments
from dragoman.tasks.translation.bare_translator import BareTranslator, corpus_of_languages
from dragoman.tasks.translation.report import REPORT

BOOTSTRAP = 1000


@dataclass(frozen=True)
class TranslationEvaluation:
    """The evaluation of a translator on one test set."""

    name: str
    sentences: int
    beam: int
    scores: dict[str, Score]
    exact: float
    by_length: list[dict[str, Any]]
    hypotheses: tuple[str, ...]
    references: tuple[str, ...]
    multi_reference: MultiReferenceScores | None = None
    """Each source once, with all its references, where sources recur."""
    alignment: AlignmentEvaluation | None = None
    """How well attention aligns the words, where gold alignments are known."""
    decoding: dict[str, Any] = field(default_factory=dict)
    """Decoding settings that are not the run's own, by key."""

    def summary(self) -> dict[str, Any]:
        """Return what is stored: everything but the texts, and what is not there."""
        whole = asdict(self)
        del whole["hypotheses"], whole["references"], whole["alignment"]
        if self.alignment is not None:
            whole["alignment"] = self.alignment.summary()
        optional = ("multi_reference", "decoding")
        return {key: value for key, value in whole.items() if value or key not in optional}

    def text(self) -> str:
        """Lay it out for people."""
        lines = [
            f"{self.name}: {self.sentences} sentences, beam {self.beam}",
            *_score_lines(self.scores),
            f"  exact  {self.exact:6.2f} % of the sentences match the reference",
        ]
        if (every := self.multi_reference) is not None:
            lines += [
                f"  all {every.references} references of {every.sources} distinct sources:",
                *_score_lines(every.scores),
                f"  exact  {every.exact:6.2f} % of the sources match one of their references",
            ]
        if self.alignment is not None:
            rates = self.alignment.score
            lines.append(
                f"  AER    {100 * rates.error:6.2f} % alignment error on {self.alignment.pairs} "
                f"references (precision {100 * rates.precision:.1f}, recall "
                f"{100 * rates.recall:.1f}; {self.alignment.choice})"
            )
        lines.append("  source words      sentences   BLEU   chrF  exact")
        for row in self.by_length:
            lines.append(
                f"  {row['bucket']:<16} {row['sentences']:>10} {row['bleu']:6.1f} "
                f"{row['chrf']:6.1f} {row['exact']:6.1f}"
            )
        return "\n".join(lines)


def _score_lines(scores: Mapping[str, Score]) -> Iterator[str]:
    for one in scores.values():
        interval = "" if one.low is None else f"  [{one.low:.2f}, {one.high:.2f}]"
        yield f"  {one.name:<6} {one.value:6.2f}{interval}  {one.signature}"


def score_translations(
    translator: BareTranslator,
    pairs: Sequence[Pair],
    name: str,
    *,
    to: str | None = None,
    beam: int | None = None,
    bootstrap: int = 0,
    metrics: tuple[str, ...] = ("bleu", "chrf", "ter"),
    after_batch: Callable[[int], None] | None = None,
) -> TranslationEvaluation:
    """Translate the sources of a set and compare with its targets, on detokenised text.

    `to` is the language of the targets, for sources that do not say it by a tag.
    """
    sources = [pair.source for pair in pairs]
    references = [pair.target for pair in pairs]
    found = translator.candidates(sources, beam=beam, to=to, after_batch=after_batch)
    hypotheses = [best[0].text for best in found]
    bare = [split_tags(source)[1] for source in sources]
    return TranslationEvaluation(
        name=name,
        sentences=len(pairs),
        beam=beam or translator.decoding.beam,
        scores=score(hypotheses, [references], metrics=metrics, bootstrap=bootstrap),
        exact=exact_match(hypotheses, [references]),
        by_length=[asdict(row) for row in by_length(bare, hypotheses, [references])],
        hypotheses=tuple(hypotheses),
        references=tuple(references),
        multi_reference=score_by_all_references(
            sources, hypotheses, references_by_source(pairs), metrics=metrics, bootstrap=bootstrap
        ),
    )


def sets_to_test(
    run: RunFolder, files: Sequence[Path] = (), to: str | None = None
) -> dict[str, list[Pair]]:
    """Return the sets to test a run on: its own held-out ones, or the given file or files."""
    if not files:
        if to is not None:
            raise ConfigError(
                f"--to {to} is for a test file, and none is given: a run's own sets know their "
                "languages. Leave it out, or give a TSV or two files."
            )
        sets = load_held_out(run.data).tests
        if not sets:
            raise DataError(f"{run.path}: has no test set of its own. Give a TSV or two files.")
        return sets
    findings = Findings()
    wanted = _languages(corpus_of_languages(read_recipe(run.recipe)), to)
    pairs = list(
        read_pairs(files, longest=1_000_000, repair=True, findings=findings, wanted=wanted)
    )
    if not pairs:
        raise DataError(f"{files[0]}: holds no pairs to test on.")
    own = load_held_out(run.data).tests if (run.data / SPLIT).is_file() else ()
    ending = "" if to is None else f"_{plain_name(to)}"
    return {name_of_files(run, files, own, ending): pairs}


def _languages(corpus: CorpusSettings | None, to: str | None) -> LanguagePair:
    """Say which languages to read in a file; nothing is told where that is not certain."""
    if corpus is None:
        return LanguagePair()
    fitting = [way for way in directions(corpus) if to in (None, way[1])]
    return LanguagePair(*fitting[0]) if len(fitting) == 1 else LanguagePair()


def evaluate(
    run: str | Path,
    files: Sequence[Path] = (),
    *,
    to: str | None = None,
    beam: int | None = None,
    decoding: Sequence[str] = (),
    bootstrap: int = BOOTSTRAP,
    also: Sequence[Path] = (),
    after_batch: Callable[[int], None] | None = None,
) -> list[TranslationEvaluation]:
    """Judge a run on its test sets (or a given one); store scores, translations and card.

    `to` is the language of a given test's targets; a model that writes only one needs no telling.
    `decoding` holds `key=value` changes of the run's decoding settings; what differs from these,
    as `beam` may too, is part of the name that the scores are stored under. With the runs of `also`
    it is judged as an ensemble, and nothing is stored: the run folder speaks of its own model.
    """
    folder = trained_run(Path(run))
    own = BareTranslator.load(folder.path, also=also)
    translator = own.with_settings([*decoding, *([] if beam is None else [f"beam={beam}"])])
    if not files:
        _check_unseen(folder, also)
    judged = [
        score_translations(
            translator, pairs, name, to=to, bootstrap=bootstrap, after_batch=after_batch
        )
        for name, pairs in sets_to_test(folder, files, to).items()
    ]
    if not also and not files:
        judged = _aligned(folder, translator, judged)
    changed = changed_keys(own.decoding, translator.decoding)
    judged = [_with_settings(one, changed) for one in judged]
    if not also:
        _store(folder, judged, files)
    return judged


def _with_settings(
    judged: TranslationEvaluation, changed: Mapping[str, Any]
) -> TranslationEvaluation:
    """Name the settings that are not the run's own, so that its own scores stay what they are."""
    settings = [f"{key}={value}" for key, value in changed.items()]
    return replace(judged, name=SETTINGS.join([judged.name, *settings]), decoding=dict(changed))


def _aligned(
    folder: RunFolder, translator: BareTranslator, judged: Sequence[TranslationEvaluation]
) -> list[TranslationEvaluation]:
    """Add how well the words are aligned, where that can be judged."""
    try:
        found = evaluate_alignments(folder, translator)
    except DataError as error:  # all other scores stand
        say(f"{folder.path}: alignments are not judged: {error}", "yellow")
        found = {}
    return [replace(one, alignment=found.get(one.name)) for one in judged]


def _check_unseen(folder: RunFolder, also: Sequence[Path]) -> None:
    """Refuse members of an ensemble that may have been trained on the first run's tests."""
    for path in also:
        if load_held_out(RunFolder(path).data).tests != load_held_out(folder.data).tests:
            raise DataError(
                f"{path}: holds out other test sets than {folder.path}, so it may have been "
                "trained on these. Train both with one corpus.seed, or give a test file."
            )


@tell_unstored()
def _store(
    folder: RunFolder, judged: Sequence[TranslationEvaluation], files: Sequence[Path]
) -> None:
    with explain_write_error(folder.translations):
        folder.translations.mkdir(exist_ok=True)
    for one in judged:
        write_atomic(folder.translations / f"{one.name}.txt", _lines(one.hypotheses))
        write_atomic(folder.translations / f"{one.name}.reference.txt", _lines(one.references))
    store_scores(folder, judged, REPORT, files)


def _lines(texts: Sequence[str]) -> str:
    return "".join(f"{text}\n" for text in texts)
