"""From a run to a folder that CTranslate2 reads, with a proof that it translates alike."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from dragoman.backends.ctranslate2.engine import Ctranslate2Engine
from dragoman.backends.ctranslate2.folder import Network, Quantization, load_network, write_folder
from dragoman.config.training import DecodingSettings
from dragoman.core.errors import RunError
from dragoman.core.files import new_folder
from dragoman.engine.checkpoint.folder import RunFolder, trained_run
from dragoman.interop.proof import NOT_PROVED, Proof, ProofSentences, proof_sentences, prove
from dragoman.interop.proof import PROOF as PROOF
from dragoman.tasks.translation.bare_translator import BareTranslator, corpus_of_languages

CPU = torch.device("cpu")


@dataclass(frozen=True)
class ExportOptions:
    """Options of an export."""

    quantization: Quantization = "int8"
    average: bool = False
    """Whether the mean of the best weights is exported instead of the run's own."""
    proof: bool = True
    proof_file: Path | None = None
    """Sentences to prove with, instead of the run's held-out ones."""

    def sentences(self, run: RunFolder) -> ProofSentences | None:
        """Return what to prove with; nothing if no proof is wanted, or there is nothing to use."""
        return proof_sentences(run, self.proof_file) if self.proof else None


def export_ctranslate2(run: Path, folder: Path, options: ExportOptions) -> Proof | None:
    """Write a run for CTranslate2; return the proof, if there was something to prove with."""
    check_free(folder)
    source = trained_run(run)
    network = load_network(source, average=options.average)
    sentences = options.sentences(source)
    with new_folder(folder) as beside:
        write_folder(source, network, beside, options.quantization)
        proof = None
        if sentences is not None:
            engine = Ctranslate2Engine(beside, network.tokenizer, network.room, CPU)
            proof = _proved(network, engine, sentences, options.quantization)
        write_proof(beside / PROOF, proof)
    return proof


def check_free(path: Path) -> None:
    """Refuse to write over anything."""
    if path.exists():
        raise RunError(f"{path}: is there already. Name another.")


def write_proof(path: Path, proof: Proof | None) -> None:
    """Write proof.json, which also says if nothing was proved."""
    record: Mapping[str, Any] = NOT_PROVED if proof is None else proof.record()
    path.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def without_loop_guard(settings: DecodingSettings) -> DecodingSettings:
    """Return a way to search without the guard against loops, which CTranslate2 has not."""
    return settings.model_copy(update={"loop_guard": 0})


def check_exact(proof: Proof, quantization: Quantization, where: Path) -> None:
    """Refuse an export in full digits whose greedy outputs differ by more than ties."""
    faults = proof.compared[0].faults(proof.sentences)
    if quantization == "float32" and faults:
        raise RunError(
            f"{where}: {faults} of {proof.sentences} sentences come out otherwise than by the run, "
            "so nothing was written. Report this with the recipe, please."
        )


def _proved(
    network: Network,
    engine: Ctranslate2Engine,
    sentences: ProofSentences,
    quantization: Quantization,
) -> Proof:
    theirs = BareTranslator(
        None,
        network.tokenizer,
        without_loop_guard(network.recipe.decoding),
        longest=network.longest_source,
        device=CPU,
        corpus=corpus_of_languages(network.recipe),
        engine=engine,
    )

    def translate(texts: list[str], beam: int) -> list[list[int]]:
        return [list(found[0].tokens) for found in theirs.candidates(texts, beam=beam)]

    proof = prove(BareTranslator.of(network), translate, sentences, engine="CTranslate2")
    check_exact(proof, quantization, engine.folder)
    return proof
