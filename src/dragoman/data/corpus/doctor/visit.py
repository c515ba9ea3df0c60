"""The doctor's visit before a training: refuse what is wrong as a whole, tell what is merely odd.

What is repaired and dropped is told by those who repair and drop it, and a file that cannot be read
is refused by its reader, who knows best where and why. Only what nobody else sees is said here.
"""

from typing import assert_never

from dragoman.config.corpus import FilesCorpus, GrammarCorpus, SeveralCorpus
from dragoman.core.console import say
from dragoman.core.errors import DataError
from dragoman.data.corpus.doctor.report import CorpusFinding, CorpusReport
from dragoman.data.corpus.doctor.report_cache import examine_once
from dragoman.data.corpus.doctor.symptoms import Symptom

SEEN_HERE_ALONE = (Symptom.SHIFTED, Symptom.SWAPPED)
"""Grounds for refusal that no reader has."""


def visit(corpus: FilesCorpus | SeveralCorpus | GrammarCorpus) -> list[CorpusReport]:
    """Examine the files of a corpus, each of its parts for itself; return what was found.

    A corpus whose sides do not belong together raises a DataError. `examine = false` says that it
    only looks so.
    """
    match corpus:
        case FilesCorpus():
            return _visit(corpus, "corpus.examine=false trains on it")
        case SeveralCorpus():
            way_out = "examine = false in this part of the recipe trains on it"
            return [report for part in corpus.parts for report in _visit(part, way_out)]
        case GrammarCorpus():
            return []
        case _:
            assert_never(corpus)


def _visit(settings: FilesCorpus, way_out: str) -> list[CorpusReport]:
    if not settings.examine:
        return []
    say("examining the corpus …")
    report = examine_once(settings)
    refusing = [one for one in report.findings if one.treatment == "refuse"]
    if any(one.symptom in SEEN_HERE_ALONE for one in refusing):
        raise DataError(
            "; ".join(map(_refusal, refusing)) + ". Mend the files, with `dragoman check RECIPE` "
            f"to look closer. If it only looks wrong, {way_out}."
        )
    return [report]


def kept_findings(report: CorpusReport) -> list[str]:
    """Say what training keeps though it looks odd, one line for each finding."""
    return [
        f"{one.count:,} {'pair' if one.count == 1 else 'pairs'} kept in {one.set}: "
        f"{one.symptom.words} (first at {one.file}:{one.lines[0] if one.lines else 1})"
        for one in report.findings
        if one.treatment == "keep"
    ]


def _refusal(one: CorpusFinding) -> str:
    count = f" ({one.count:,} times)" if one.count > 1 else ""
    example = f": {one.example.rstrip('.')}" if one.example else ""
    return f"{one.file}:{one.lines[0] if one.lines else 1}: {one.symptom.words}{count}{example}"
