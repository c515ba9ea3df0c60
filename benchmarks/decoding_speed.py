"""Decoding speed of trained models beside transformers and CTranslate2, in one process.

    python benchmarks/decoding_speed.py                     trains both models first, where missing
    python benchmarks/decoding_speed.py --sentences 320 --rounds 5 --profile

The models are those of decoding-transformer.toml (width 256, inner 1024, 4 heads, 3+3 layers, 8,000
entries) and decoding-recurrent.toml, trained on Tatoeba English–Spanish. The first is exported
to both libraries by `dragoman export`, so every engine decodes the same network. Each is given the
same held-out sentences as token numbers, in the same batches, in the order of the file; rounds
alternate between engines. Speeds are sentences per CPU-second on one thread, medians over rounds,
each ratio taken round by round. BLEU is of the same translations, against the references; Dragoman
leaves loops (`loop_guard`), which the others do not, and 8 bits depend a little on the batch.

The recurrent network has no counterpart in either library, so it stands alone.
"""

import argparse
import resource
import statistics
import subprocess
import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from dragoman.backends.ctranslate2.engine import Ctranslate2Engine
from dragoman.backends.ctranslate2.folder import read_folder
from dragoman.backends.torch_engine import TorchEngine
from dragoman.config.training import DecodingSettings
from dragoman.data.corpus.catalogue.entries import find_entry
from dragoman.data.corpus.catalogue.store import obtain
from dragoman.data.corpus.held_out import load_held_out
from dragoman.data.tokenizer.special_tokens import END, START
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.engine.runtime import keep_freed_memory
from dragoman.interop.to_ctranslate2 import ExportOptions, export_ctranslate2
from dragoman.interop.to_huggingface import export_and_prove
from dragoman.metrics.scores import score
from dragoman.tasks.translation.bare_translator import BareTranslator

HERE = Path(__file__).parent
CASES = ((1, 1), (32, 1), (1, 5), (32, 5))
"""Sentences of a batch, and hypotheses of a beam."""

Ids = list[int]
Decode = Callable[[Sequence[Ids], int], list[Ids]]
"""From sources without END and a beam to translations without START and END."""


@dataclass
class Engine:
    """Something that decodes, and how fast it was in each round."""

    name: str
    decode: Decode
    speeds: list[float] = field(default_factory=list)
    written: list[Ids] = field(default_factory=list)

    def run(self, sources: Sequence[Ids], batch: int, beam: int) -> None:
        """Decode all sentences in batches, and note the speed."""
        before = processor_seconds()
        self.written = []
        for first in range(0, len(sources), batch):
            self.written += self.decode(sources[first : first + batch], beam)
        self.speeds.append(len(sources) / (processor_seconds() - before))


def processor_seconds() -> float:
    """Return the time that all threads of this process have worked."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def ours(translator: BareTranslator, precision: str, shortlist: int = 0) -> Decode:
    """Decode by Dragoman's own engine."""
    engine = translator.engine
    if not isinstance(engine, TorchEngine):
        raise TypeError("this translator has another engine.")

    def decode(sources: Sequence[Ids], beam: int) -> list[Ids]:
        changes = {"beam": beam, "precision": precision, "shortlist": shortlist}
        settings = translator.decoding.model_copy(update=changes)
        nothing: list[Ids] = [[] for _ in sources]
        found = engine.search(sources, settings, 1, nothing, [() for _ in sources])
        return [list(each[0].tokens) for each in found]

    return decode


def ours_by_ctranslate2(folder: Path) -> Decode:
    """Decode by Dragoman's CTranslate2 engine: what `translate --engine ctranslate2` does."""
    exported = read_folder(folder)
    device = torch.device("cpu")
    engine = Ctranslate2Engine(folder, exported.tokenizer, exported.facts.room, device)

    def decode(sources: Sequence[Ids], beam: int) -> list[Ids]:
        settings = DecodingSettings(beam=beam)
        found = engine(sources, settings, 1, [[] for _ in sources])
        return [list(each[0].tokens) for each in found]

    return decode


def ctranslate2_alone(folder: Path, entries: Sequence[str]) -> Decode:
    """Decode by CTranslate2 as its own users do."""
    import ctranslate2

    model = ctranslate2.Translator(str(folder), device="cpu", inter_threads=1, intra_threads=1)
    numbers = {entry: number for number, entry in enumerate(entries)}
    limits = DecodingSettings()

    def decode(sources: Sequence[Ids], beam: int) -> list[Ids]:
        pieces = [[entries[number] for number in ids] for ids in sources]  # END comes of itself
        most = int(limits.max_length_ratio * (max(map(len, pieces)) + 1)) + limits.max_length_extra
        found = model.translate_batch(
            pieces,
            beam_size=beam,
            max_decoding_length=most,
            return_scores=True,
            disable_unk=True,
        )
        return [[numbers[piece] for piece in one.hypotheses[0]] for one in found]

    return decode


def transformers_alone(folder: Path) -> Decode:
    """Decode by transformers' own generate."""
    from transformers import AutoModelForSeq2SeqLM
    from transformers.utils import logging

    logging.set_verbosity_error()
    model: Any = AutoModelForSeq2SeqLM.from_pretrained(folder).eval()
    limits = DecodingSettings()

    def decode(sources: Sequence[Ids], beam: int) -> list[Ids]:
        wide = max(map(len, sources)) + 1
        padded = torch.tensor([[*ids, END, *[0] * (wide - 1 - len(ids))] for ids in sources])
        most = int(limits.max_length_ratio * wide) + limits.max_length_extra
        with torch.inference_mode():
            written = model.generate(
                input_ids=padded,
                attention_mask=padded.ne(0).long(),
                num_beams=beam,
                max_new_tokens=most,
                do_sample=False,
            )
        return [_between(ids) for ids in written.tolist()]

    return decode


def _between(ids: Ids) -> Ids:
    inside = ids[1:] if ids and ids[0] == START else ids
    return inside[: inside.index(END)] if END in inside else [one for one in inside if one]


def compare(engines: list[Engine], sources: Sequence[Ids], rounds: int, judge: Callable) -> None:
    """Let all take turns in every case, and print a table for each."""
    for batch, beam in CASES:
        some = sources if batch > 1 else sources[: max(8, len(sources) // 4)]
        for one in engines:
            one.speeds.clear()
        for number in range(rounds + 1):
            for one in engines:
                one.run(some, batch, beam)
                if not number:
                    one.speeds.clear()  # the first round warms up
        search = "greedy" if beam == 1 else f"beam {beam}"
        print(f"\nbatches of {batch}, {search}, {len(some)} sentences")
        print(f"{'':28} {'sentences per CPU-second':28} {'of transformers':18} of CTranslate2 int8")
        by_name = {one.name: one for one in engines}
        for one in engines:
            cells = [middle_and_range(one.speeds)]
            for peer in ("transformers", "ctranslate2 int8"):
                other = by_name.get(peer)
                cells.append("" if other is None else ratio(one.speeds, other.speeds))
            print(f"{one.name:28} {cells[0]:28} {cells[1]:18} {cells[2]:10} {judge(one.written)}")


def ratio(speeds: list[float], others: list[float]) -> str:
    """Return the median of the ratios, taken round by round."""
    return f"{statistics.median(a / b for a, b in zip(speeds, others, strict=True)):.2f}"


def middle_and_range(speeds: list[float]) -> str:
    """Return the median, and the least and the most."""
    return f"{statistics.median(speeds):.1f} ({min(speeds):.1f}–{max(speeds):.1f})"


def judging(translator: BareTranslator, references: Sequence[str]) -> Callable[[list[Ids]], str]:
    """Return what says how good translations are."""

    def judge(written: list[Ids]) -> str:
        texts = [translator.tokenizer.target.decode(ids) for ids in written]
        found = score(texts, [list(references[: len(texts)])], metrics=["bleu"])
        return f"BLEU {found['bleu'].value:.2f}"

    return judge


def trained_run(name: str, runs: Path) -> Path:
    """Return the run of a recipe, after training it where there is none."""
    run = runs / name
    if not RunFolder(run).model.is_file():
        recipe = runs / f"{name}.toml"
        runs.mkdir(parents=True, exist_ok=True)
        corpus = obtain(find_entry("tatoeba-english-spanish")).path
        text = (HERE / f"{name}.toml").read_text(encoding="utf-8")
        recipe.write_text(text.replace("tatoeba-english-spanish.tsv", str(corpus)), "utf-8")
        command = [sys.executable, "-m", "dragoman", "train", str(recipe), "--output", str(run)]
        subprocess.run(command, check=True)
    return run


def profile(translator: BareTranslator, sources: Sequence[Ids], precision: str) -> None:
    """Print where the time goes with batches of 32."""
    from torch.profiler import ProfilerActivity
    from torch.profiler import profile as watch

    for beam in (1, 5):
        decode = ours(translator, precision)
        decode(sources[:32], beam)
        with watch(activities=[ProfilerActivity.CPU]) as seen:
            decode(sources[:32], beam)
        print(f"\n{precision}, batch of 32, beam {beam}")
        print(seen.key_averages().table(sort_by="self_cpu_time_total", row_limit=14))


def main() -> None:
    """Compare."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--runs", type=Path, default=Path("runs"))
    parser.add_argument("--sentences", type=int, default=320)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--shortlist", type=int, default=50)
    parser.add_argument("--profile", action="store_true")
    asked = parser.parse_args()
    warnings.filterwarnings("ignore")

    runs = {
        kind: trained_run(f"decoding-{kind}", asked.runs) for kind in ("transformer", "recurrent")
    }
    run = runs["transformer"]
    plain = ExportOptions(proof=False)
    folders = {
        kind: run.parent / f"{run.name}-{kind}" for kind in ("int8", "float32", "huggingface")
    }
    for kind in ("int8", "float32"):
        if not folders[kind].exists():
            wishes = ExportOptions(proof=False, quantization=kind)
            export_ctranslate2(run, folders[kind], wishes)
    if not folders["huggingface"].exists():
        export_and_prove(run, folders["huggingface"], plain)

    torch.set_num_threads(1)
    keep_freed_memory()
    for kind, folder in runs.items():
        translator = BareTranslator.load(folder, device="cpu")
        pairs = load_held_out(RunFolder(folder).data).tests["test"][: asked.sentences]
        sources = [translator.tokenizer.encode_source(pair.source) for pair in pairs]
        judge = judging(translator, [pair.target for pair in pairs])
        listed = f"dragoman int8, shortlist {asked.shortlist}"
        engines = [
            Engine("dragoman float32", ours(translator, "float32")),
            Engine("dragoman int8", ours(translator, "int8")),
            Engine(listed, ours(translator, "int8", asked.shortlist)),
        ]
        if kind == "transformer":
            entries = translator.tokenizer.source.pieces
            engines += [
                Engine("dragoman by ctranslate2", ours_by_ctranslate2(folders["int8"])),
                Engine("ctranslate2 int8", ctranslate2_alone(folders["int8"], entries)),
                Engine("ctranslate2 float32", ctranslate2_alone(folders["float32"], entries)),
                Engine("transformers", transformers_alone(folders["huggingface"])),
            ]
        print(f"\n{kind}: {sum(p.numel() for p in translator.model.parameters()):,} parameters")
        compare(engines, sources, asked.rounds, judge)
        if asked.profile:
            profile(translator, sources, "int8")


if __name__ == "__main__":
    main()
