"""From a run to a folder that transformers reads, with a proof that it translates alike.

Where transformers is installed, it reads the folder and translates. Where it is not, the folder is
imported again and that run translates: what was written is then all that the run was.
"""

import importlib
import importlib.util
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch

from dragoman.config.reading import read_recipe
from dragoman.config.training import DecodingSettings
from dragoman.core.errors import ConfigError, RunError
from dragoman.data.tokenizer.special_tokens import END, START
from dragoman.engine.checkpoint.folder import RunFolder, trained_run
from dragoman.engine.checkpoint.network import load_translation
from dragoman.interop.exporting import export_huggingface
from dragoman.interop.importing import import_huggingface
from dragoman.interop.proof import Proof, ProofSentences, Theirs, prove
from dragoman.interop.to_ctranslate2 import PROOF, ExportOptions, write_proof
from dragoman.neural.decoding.search import longest_lengths
from dragoman.tasks.translation.bare_translator import BareTranslator

LIBRARY = "transformers"
TOGETHER = 16
"""Sentences that transformers is given at once."""

CPU = torch.device("cpu")


@dataclass(frozen=True)
class ExportResult:
    """The result of an export."""

    reader: str
    """The class of transformers that reads it."""
    with_tokenizer: bool
    translates: bool
    """Whether it is a translator, so that a proof could be made."""
    proof: Proof | None


def export_and_prove(run: Path, folder: Path, options: ExportOptions) -> ExportResult:
    """Write a run for transformers; prove what was written, where it translates."""
    recipe = read_recipe(trained_run(run).recipe)
    writes = recipe.task.kind == "translation" and recipe.model.kind == "transformer"
    sentences = options.sentences(trained_run(run)) if writes else None
    found: list[Proof] = []

    def look(beside: Path) -> None:
        if sentences is not None:
            source = trained_run(run)
            found.append(prove_huggingface(source, beside, sentences, average=options.average))
        if writes:
            write_proof(beside / PROOF, found[0] if found else None)

    reader, with_tokenizer = export_huggingface(run, folder, average=options.average, check=look)
    return ExportResult(reader, with_tokenizer, writes, found[0] if found else None)


def prove_huggingface(
    run: RunFolder, folder: Path, sentences: ProofSentences, *, average: bool = False
) -> Proof:
    """Translate sentences with the run and with what was written; refuse more than ties."""
    ours = BareTranslator.of(load_translation(run, average=average))
    if importlib.util.find_spec(LIBRARY) is None:
        with TemporaryDirectory(ignore_cleanup_errors=True) as beside:
            again = import_huggingface(folder, Path(beside) / "run")
            theirs = _read_back(BareTranslator.load(again.path, device="cpu"), ours.decoding)
            proof = prove(ours, theirs, sentences, engine="the folder, imported again")
    else:
        proof = prove(ours, _theirs(folder, ours), sentences, engine=LIBRARY)
    if faults := proof.compared[0].faults(proof.sentences):
        raise RunError(
            f"{folder}: {faults} of {proof.sentences} sentences come out otherwise than by the "
            "run, so nothing was written. Report this with the recipe, please."
        )
    return proof


def _read_back(again: BareTranslator, decoding: DecodingSettings) -> Theirs:
    """Return what translates with the run that was made of the folder."""
    again.decoding = decoding.model_copy(update={"loop_guard": 0})

    def translate(texts: list[str], beam: int) -> list[list[int]]:
        return [list(found[0].tokens) for found in again.candidates(texts, beam=beam)]

    return translate


@contextmanager
def _without_progress_bar(logging: Any) -> Iterator[None]:
    """Keep transformers from drawing a bar of its own while it reads weights."""
    drawn = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if drawn:
            logging.enable_progress_bar()


def _theirs(folder: Path, ours: BareTranslator) -> Theirs:
    """Return what translates with transformers; outputs are cut where ours would be."""
    library: Any = importlib.import_module(LIBRARY)
    with _without_progress_bar(library.utils.logging):
        model = library.AutoModelForSeq2SeqLM.from_pretrained(folder).eval()
    tokenizer = None
    if (folder / "tokenizer_config.json").exists():
        tokenizer = library.AutoTokenizer.from_pretrained(folder)

    def numbers(text: str) -> list[int]:
        clean = " ".join(text.replace("\x00", "").split())
        if tokenizer is None:
            return [*ours.tokenizer.encode_source(clean), END]
        return list(tokenizer(clean).input_ids)

    def translate(texts: list[str], beam: int) -> list[list[int]]:
        sources = [numbers(text) for text in texts]
        longest = longest_lengths([len(ids) for ids in sources], ours.decoding).tolist()
        found: list[list[int]] = []
        for first in range(0, len(texts), TOGETHER):
            rows = slice(first, first + TOGETHER)
            written = _generated(model, sources[rows], beam, max(longest[rows]))
            found += [ids[:most] for ids, most in zip(written, longest[rows], strict=True)]
        return found

    return translate


@torch.no_grad()
def _generated(
    model: Any, sources: Sequence[Sequence[int]], beam: int, longest: int
) -> list[list[int]]:
    """Let their network write; return its tokens without START and END."""
    widest = max(map(len, sources))
    padded = torch.tensor([[*ids, *[0] * (widest - len(ids))] for ids in sources])
    written = model.generate(
        input_ids=padded, attention_mask=padded.ne(0).long(), num_beams=beam, max_length=longest + 1
    )
    return [_between(ids) for ids in written.tolist()]


def _between(ids: list[int]) -> list[int]:
    if not ids or ids[0] != START:
        raise ConfigError("transformers began with another mark than it was told. Report this.")
    return ids[1 : ids.index(END)] if END in ids else ids[1:]
