"""From a run to an Argos Translate package: one file, to be installed there and used offline.

NAME/metadata.json         the two languages
NAME/model/                the network, as CTranslate2 keeps it
NAME/sentencepiece.model   the pieces, which are ours exactly
NAME/README.md             what it is, and how it compares with the run
NAME/proof.json            the same for programs

Argos Translate cuts a text into sentences before it translates. A package may hold a model for
that (`stanza/` or `minisbd/`); without one, as here, version 1.11 takes MiniSBD's own of the source
language, which it fetches once. Other versions were not tried.
"""

import json
import zipfile
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from dragoman.backends.ctranslate2.engine import Ctranslate2Engine
from dragoman.backends.ctranslate2.folder import Network, load_network, write_model
from dragoman.config.task import TranslationTaskSettings
from dragoman.core.errors import ConfigError
from dragoman.core.files import explain_write_error, write_atomic
from dragoman.data.corpus.tags import directions, plain_name
from dragoman.data.tokenizer.bpe import BpeTokenizer
from dragoman.data.tokenizer.sentencepiece import to_sentencepiece
from dragoman.engine.checkpoint.folder import trained_run
from dragoman.interop.proof import PROOF, Proof, ProofSentences, prove
from dragoman.interop.to_ctranslate2 import (
    CPU,
    ExportOptions,
    check_exact,
    check_free,
    without_loop_guard,
    write_proof,
)
from dragoman.tasks.translation.bare_translator import BareTranslator

SUFFIX = ".argosmodel"
PIECES = "sentencepiece.model"
ARGOS_VERSION = "1.11"
LONG_AGO = (1980, 1, 1, 0, 0, 0)
"""The time of each file in the archive, so that the same run gives the same bytes."""

NAMES = {
    "ar": "Arabic",
    "bn": "Bengali",
    "de": "German",
    "en": "English",
    "es": "Spanish",
    "fr": "French",
    "hi": "Hindi",
    "id": "Indonesian",
    "it": "Italian",
    "ja": "Japanese",
    "ko": "Korean",
    "nl": "Dutch",
    "pl": "Polish",
    "pt": "Portuguese",
    "ru": "Russian",
    "sv": "Swedish",
    "tr": "Turkish",
    "uk": "Ukrainian",
    "ur": "Urdu",
    "zh": "Chinese",
}
"""Names of languages as Argos Translate shows them; others are shown by their codes."""

Languages = tuple[str, str]


def export_argos(
    run: Path, file: Path, options: ExportOptions, languages: Languages | None = None
) -> Proof | None:
    """Write a run as a package; return the proof, if there was something to prove with."""
    if file.suffix != SUFFIX:
        raise ConfigError(f"{file}: Argos Translate wants a name that ends in {SUFFIX}.")
    check_free(file)
    source = trained_run(run)
    network = load_network(source, average=options.average)
    pair = _languages(network, languages, run)
    words = network.tokenizer.source
    if not isinstance(words, BpeTokenizer) or not network.tokenizer.shared:
        raise ConfigError(
            f"{run}: Argos Translate has one SentencePiece model for both sides, so it needs "
            "tokenizer.kind = 'bpe' and tokenizer.shared = true. Export it --to ctranslate2."
        )
    sentences = options.sentences(source)
    with (
        TemporaryDirectory(ignore_cleanup_errors=True) as made,
        explain_write_error(Path(made)),
    ):
        folder = Path(made)
        (folder / "model").mkdir()
        write_model(network, folder / "model", options.quantization)
        (folder / PIECES).write_bytes(to_sentencepiece(words))
        proof = None
        if sentences is not None:
            proof = _proved(network, folder, sentences)
            check_exact(proof, options.quantization, file)
        write_proof(folder / PROOF, proof)
        metadata = json.dumps(_metadata(pair), indent=1) + "\n"
        (folder / "metadata.json").write_text(metadata, encoding="utf-8")
        (folder / "README.md").write_text(_readme(network, pair, proof), encoding="utf-8")
        name = "_".join(plain_name(language) for language in pair)
        packed = _packed(folder, f"dragoman-{name}-{network.recipe.name}")
    write_atomic(file, packed)
    return proof


def _languages(network: Network, told: Languages | None, run: Path) -> Languages:
    """Return the codes of the two languages, of which there can be no more."""
    ways = directions(network.recipe.corpus_for(TranslationTaskSettings))
    if len(ways) > 1:
        raise ConfigError(
            f"{run}: translates in {len(ways)} directions, and an Argos package has one. Export it "
            "--to ctranslate2, or train one direction."
        )
    pair = told or ways[0]
    if told is None and pair == ("source", "target"):
        raise ConfigError(
            f"{run}: its recipe names no languages, and an Argos package needs their codes. "
            "Say for instance: --languages en,es"
        )
    return pair


def _metadata(pair: Languages) -> dict[str, Any]:
    source, target = pair
    return {
        "package_version": "1.0",
        "argos_version": ARGOS_VERSION,
        "type": "translate",
        "from_code": source,
        "from_name": NAMES.get(source, source),
        "to_code": target,
        "to_name": NAMES.get(target, target),
        "links": [],
    }


def _readme(network: Network, pair: Languages, proof: Proof | None) -> str:
    count = sum(weight.numel() for weight in network.model.parameters())
    lines = [
        f"# {pair[0]} to {pair[1]}",
        "",
        f"A translator of {count:,} weights that Dragoman trained (recipe "
        f"{network.recipe.name!r}, seed {network.recipe.seed}).",
        "",
    ]
    if proof is None:
        lines.append("Its translations were not compared with those of the run.")
    else:
        lines.append(f"Compared with the run on {proof.sentences} sentences of {proof.name!r}:")
        lines += ["", *(f"- {line}" for line in proof.lines())]
    return "\n".join(lines) + "\n"


def _packed(folder: Path, name: str) -> bytes:
    """Return the archive of a folder under a name; the same files always give the same bytes."""
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(path for path in folder.rglob("*") if path.is_file()):
            entry = zipfile.ZipInfo(f"{name}/{file.relative_to(folder).as_posix()}", LONG_AGO)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, file.read_bytes())
    return packed.getvalue()


def _proved(network: Network, folder: Path, sentences: ProofSentences) -> Proof:
    """Compare with what the package gives: its own pieces, through its own model."""
    try:
        from sentencepiece import SentencePieceProcessor
    except ImportError:
        raise ConfigError(
            "SentencePiece is not installed. Install it with: pip install 'dragoman[export]'"
        ) from None
    pieces = SentencePieceProcessor(model_proto=(folder / PIECES).read_bytes())
    engine = Ctranslate2Engine(folder / "model", network.tokenizer, network.room, CPU)
    decoding = without_loop_guard(network.recipe.decoding)

    def translate(texts: list[str], beam: int) -> list[list[int]]:
        cut = [pieces.encode(text) for text in texts]
        settings = decoding.model_copy(update={"beam": beam})
        return [list(found[0].tokens) for found in engine(cut, settings, 1, [[]] * len(cut))]

    return prove(BareTranslator.of(network), translate, sentences, engine="the package")
