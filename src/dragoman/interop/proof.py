"""Proof that an exported model translates as the run does: held-out sentences by both.

Each sentence is translated by our engine and by the other, greedily and with the run's own beam,
and the tokens are compared. Where they differ, our own network says how likely it finds the other
translation: two that it finds equally good are a tie, which a last digit decides. BLEU of both
against the references tells what all differences together are worth.
"""

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar

import torch

from dragoman.core.errors import DataError
from dragoman.data.corpus.held_out import load_held_out
from dragoman.data.corpus.split_file import has_split
from dragoman.data.corpus.tags import tagging
from dragoman.data.formats.findings import Findings
from dragoman.data.formats.lines import read_lines
from dragoman.data.formats.pair import Pair
from dragoman.data.formats.read import read_pairs
from dragoman.data.tokenizer.special_tokens import END, START
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.metrics.scores import score
from dragoman.tasks.translation.bare_translator import BareTranslator

PROOF = "proof.json"
MOST = 200
"""Sentences that are translated for a proof."""

TIE = 1e-4
"""Nats per token by which two translations that are equally good may differ."""

Item = TypeVar("Item")
Theirs = Callable[[list[str], int], list[list[int]]]
"""From texts and a beam to the other engine's best outputs, in our numbers, without END."""


@dataclass(frozen=True)
class ProofSentences:
    """Sentences for a proof, with references where there are any."""

    name: str
    sources: list[str]
    references: list[str] | None
    """None where only sources are known, so that there is no BLEU."""


@dataclass(frozen=True)
class EngineComparison:
    """The comparison of two engines' outputs for one beam size."""

    beam: int
    identical: int
    """Sentences with the same tokens."""
    ties: int
    """Others, whose two outputs our network finds equally good."""
    bleu_ours: float | None
    bleu_theirs: float | None
    signature: str | None

    def faults(self, sentences: int) -> int:
        """Sentences that neither sameness nor a tie accounts for."""
        return sentences - self.identical - self.ties


@dataclass(frozen=True)
class Proof:
    """A proof of equal translations: what both engines translated, and how it compares."""

    engine: str
    name: str
    sentences: int
    compared: tuple[EngineComparison, ...]

    def lines(self) -> list[str]:
        """Say it in plain words, one line for each beam."""
        return [_told(self, one) for one in self.compared]

    def record(self) -> dict[str, Any]:
        """Return it for proof.json."""
        return {"proved": True, **asdict(self)}


NOT_PROVED = {"proved": False}
"""What proof.json says of an export that was not compared."""


def prove(
    ours: BareTranslator,
    theirs: Theirs,
    sentences: ProofSentences,
    *,
    engine: str,
    beams: Sequence[int] | None = None,
) -> Proof:
    """Translate sentences by both engines, greedily and with the run's own beam; compare.

    Guards against loops, which others do not have, are off for ours and should be for theirs.
    """
    ours = copy(ours)
    ours.decoding = ours.decoding.model_copy(update={"loop_guard": 0})
    widths = tuple(dict.fromkeys(beams or (1, ours.decoding.beam)))
    fitting = _fitting(ours, sentences)
    if not fitting.sources:
        raise DataError(f"{sentences.name}: holds no sentence that is short enough for a proof.")
    compared = tuple(_compare(ours, theirs, fitting, beam) for beam in widths)
    return Proof(engine, fitting.name, len(fitting.sources), compared)


def proof_sentences(run: RunFolder, file: Path | None = None) -> ProofSentences | None:
    """Return what to prove with: a given file's pairs or lines, or the run's held-out sentences.

    Where there is neither, nothing is returned, and nothing can be claimed.
    """
    if file is not None:
        return _of_file(file)
    if not has_split(run.data):
        return None
    held_out = load_held_out(run.data)
    sets = {**held_out.tests, "valid": held_out.valid}
    name, pairs = next(((n, p) for n, p in sets.items() if p), ("", []))
    return _of_pairs(name, pairs) if pairs else None


def _of_file(file: Path) -> ProofSentences:
    if not file.is_file():
        raise DataError(f"{file}: there is no such file to prove with.")
    if file.suffix == ".tsv":
        pairs = list(read_pairs([file], longest=1_000_000, repair=True, findings=Findings()))
        return _of_pairs(file.name, pairs)
    found = read_lines(file, repair=True, findings=Findings())
    lines = [line for line in found if line and line.strip()]
    return ProofSentences(file.name, _some(lines), None)


def _of_pairs(name: str, pairs: Sequence[Pair]) -> ProofSentences:
    chosen = _some(pairs)
    return ProofSentences(name, [one.source for one in chosen], [one.target for one in chosen])


def _some(items: Sequence[Item]) -> list[Item]:
    """Return at most `MOST` of them, spread evenly."""
    step = max(1, -(-len(items) // MOST))
    return list(items[::step])


def _fitting(ours: BareTranslator, sentences: ProofSentences) -> ProofSentences:
    """Leave out what would be cut into pieces, which are translated one by one."""
    find_tag = tagging(ours.corpus, None)
    kept = []
    for row, text in enumerate(sentences.sources):
        tag, rest = find_tag(" ".join(text.split()))
        if rest and len(ours.tokenizer.encode_source(tag + rest)) < ours.longest:
            kept.append(row)
    references = sentences.references
    return ProofSentences(
        sentences.name,
        [sentences.sources[row] for row in kept],
        None if references is None else [references[row] for row in kept],
    )


def _compare(
    ours: BareTranslator, theirs: Theirs, sentences: ProofSentences, beam: int
) -> EngineComparison:
    mine = [found[0].tokens for found in ours.candidates(sentences.sources, beam=beam)]
    others = [tuple(tokens) for tokens in theirs(sentences.sources, beam)]
    if len(others) != len(mine):
        raise DataError(f"{len(mine)} sentences were given and {len(others)} came back.")
    different = [row for row, both in enumerate(zip(mine, others, strict=True)) if len({*both}) > 1]
    ties = sum(
        _is_tie(ours, sentences.sources[row], (mine[row], others[row]), greedy=beam == 1)
        for row in different
    )
    bleu = [_bleu(ours, outputs, sentences.references) for outputs in (mine, others)]
    return EngineComparison(
        beam=beam,
        identical=len(mine) - len(different),
        ties=ties,
        bleu_ours=bleu[0][0],
        bleu_theirs=bleu[1][0],
        signature=bleu[0][1],
    )


def _bleu(
    ours: BareTranslator, outputs: Sequence[Sequence[int]], references: list[str] | None
) -> tuple[float | None, str | None]:
    if references is None:
        return None, None
    texts = [ours.tokenizer.target.decode(tokens).strip() for tokens in outputs]
    found = score(texts, [references], metrics=("bleu",))["bleu"]
    return found.value, found.signature


def _is_tie(
    ours: BareTranslator, text: str, both: tuple[Sequence[int], Sequence[int]], *, greedy: bool
) -> bool:
    """Whether our network finds their output as good as ours, or better.

    A greedy search knows only the next token, so there the first that differs decides.
    """
    mine, theirs = (_prices(ours, text, tokens) for tokens in both)
    if greedy:
        ended = [(*tokens, END) for tokens in both]
        place = next(n for n, pair in enumerate(zip(*ended, strict=False)) if len({*pair}) > 1)
        return theirs[place] >= mine[place] - TIE
    power = ours.decoding.length_penalty
    scores = [sum(prices) / len(prices) ** power for prices in (mine, theirs)]
    return scores[1] >= scores[0] - TIE


@torch.inference_mode()
def _prices(ours: BareTranslator, text: str, tokens: Sequence[int]) -> list[float]:
    """Return what our network gives each token of an output, END included, as log-probability."""
    source = torch.tensor([[*ours.tokenizer.encode_source(" ".join(text.split())), END]])
    target = torch.tensor([[START, *tokens]])
    found = ours.model(source.to(ours.device), target.to(ours.device))[0].log_softmax(dim=-1)
    return [found[place, token].item() for place, token in enumerate((*tokens, END))]


def _told(proof: Proof, one: EngineComparison) -> str:
    search = "greedily" if one.beam == 1 else f"with a beam of {one.beam}"
    line = f"{search}: {one.identical} of {proof.sentences} sentences have the same tokens"
    rest = proof.sentences - one.identical
    if rest:
        line += f", {one.ties} of the other {rest} are as good to the run's own network"
    if rest and one.bleu_ours is not None:
        line += f"; BLEU {one.bleu_ours:.2f} by the run, {one.bleu_theirs:.2f} by {proof.engine}"
    return line
