"""Quality over core-minutes: the recipe that `dragoman new` writes, beside transformers' Marian.

    python benchmarks/time_to_quality.py CORPUS.tsv --minutes 30 --output results.jsonl

Every contestant is a process of its own on one thread, two at a time, with the same training pairs,
the same 2,000 test pairs (held out by source, seed 1), the same memory settings, and its minutes
counted in processor time of training alone. Test sentences are translated greedily at every mark
and once more with beam 5 at the end; nothing is chosen by them.

marian        width 256, inner 1024, 3+3 layers, 8k entries, batches of 2,048 slots, AdamW 1e-3,
              inverse square root after 400 steps: a plain loop with the model's own defaults
marian-tuned  the same network with batches of 500 slots and a cosine that ends with the minutes
dragoman      the recipe of `dragoman new CORPUS --time MINUTESm`, steps fixed when it was written
"""

import argparse
import json
import math
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import torch
from core_minutes import Stopwatch, Training
from torch import nn
from torch.nn import functional as F

from dragoman.config.batches import BatchSettings
from dragoman.config.corpus import FilesCorpus
from dragoman.config.recipe import Recipe
from dragoman.config.tokenizer import BpeTokenizerSettings
from dragoman.data.batching.batch import make_source
from dragoman.data.batching.stream import BatchStream, Position
from dragoman.data.corpus.held_out import load_held_out
from dragoman.data.formats.pair import Pair
from dragoman.data.tokenizer.special_tokens import END, PAD, START
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.engine.runtime import keep_freed_memory
from dragoman.metrics.scores import score
from dragoman.planner.choose import TRAINED
from dragoman.planner.new import new
from dragoman.tasks.translation.prepare import PreparedPairs, prepare

MARKS = (2.5, 5, 7.5, 10, 15, 20, 25, 30)
HELD_OUT = 2000
CONTESTANTS = ("marian", "marian-tuned", "dragoman")
Translate = Callable[[list[str], int], list[str]]


class Judge:
    """Translates the test set at every mark, while the watch stands still."""

    def __init__(self, asked: argparse.Namespace, test: Sequence[Pair], watch: Stopwatch) -> None:
        self.asked, self.test, self.watch = asked, test, watch
        self.marks = [m for m in MARKS if m < asked.minutes]
        self.tokens = 0

    def look(self, translate: Translate, *, ended: bool = False) -> None:
        """Judge where a mark has been passed, and with a beam at the end."""
        passed = [mark for mark in self.marks if self.watch.minutes >= mark]
        self.marks = [mark for mark in self.marks if mark not in passed]
        if passed or ended:
            spent = self.watch.minutes
            self.watch.pause(lambda: self._judge(translate, spent, (1, 5) if ended else (1,)))

    def _judge(self, translate: Translate, spent: float, beams: tuple[int, ...]) -> None:
        for beam in beams:
            outputs = translate([pair.source for pair in self.test], beam)
            found = score(outputs, [[p.target for p in self.test]], metrics=("bleu", "chrf"))
            row = {
                "contestant": self.asked.contestant,
                "corpus": self.asked.corpus.name,
                "budget": self.asked.minutes,
                "seed": self.asked.seed,
                "minutes": round(spent, 2),
                "beam": beam,
                "bleu": round(found["bleu"].value, 2),
                "chrf": round(found["chrf"].value, 2),
                "target_tokens": self.tokens,
                "signature": found["bleu"].signature,
            }
            print(json.dumps(row), flush=True)
            with self.asked.output.open("a") as out:
                out.write(json.dumps(row) + "\n")


def prepared(
    asked: argparse.Namespace, recipe: Recipe, folder: Path
) -> tuple[PreparedPairs, list[Pair]]:
    """Encode the corpus as a run does; return it with the 2,000 test pairs."""
    run = RunFolder(folder)
    ready = prepare(run, recipe)
    return ready, load_held_out(run.data).tests["test"]


def marian(asked: argparse.Namespace, folder: Path) -> None:
    """Train transformers' Marian in a plain loop over the same batches."""
    from transformers import MarianConfig, MarianMTModel

    tuned = asked.contestant == "marian-tuned"
    recipe = Recipe(
        name="marian",
        seed=1,
        corpus=FilesCorpus(train=(asked.corpus,), held_out=HELD_OUT),
        tokenizer=BpeTokenizerSettings(vocab_size=8000),
    )
    ready, test = prepared(asked, recipe, folder)
    size = ready.tokenizer.target.size
    config = MarianConfig(
        vocab_size=size,
        d_model=256,
        encoder_layers=3,
        decoder_layers=3,
        encoder_attention_heads=4,
        decoder_attention_heads=4,
        encoder_ffn_dim=1024,
        decoder_ffn_dim=1024,
        scale_embedding=True,
        pad_token_id=PAD,
        bos_token_id=START,
        eos_token_id=END,
        decoder_start_token_id=START,
        forced_eos_token_id=None,
        max_position_embeddings=512,
    )
    torch.manual_seed(asked.seed)
    model = MarianMTModel(config)
    optimizer = torch.optim.AdamW(model.parameters(), betas=(0.9, 0.98), eps=1e-9, fused=True)
    batches = BatchSettings(max_tokens=500 if tuned else 2048)
    stream = BatchStream(ready.store, batches, asked.seed).at(Position())
    watch = Stopwatch()
    judge = Judge(asked, test, watch)
    step = 0
    while watch.minutes < asked.minutes:
        step += 1
        model.train()
        batch, _ = next(stream)
        source, target = torch.from_numpy(batch.source), torch.from_numpy(batch.target)
        logits = model(
            input_ids=source,
            attention_mask=source.ne(PAD).long(),
            decoder_input_ids=target[:, :-1],
            use_cache=False,
        ).logits
        loss = F.cross_entropy(
            logits.flatten(0, 1), target[:, 1:].flatten(), ignore_index=PAD, label_smoothing=0.1
        )
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        done = watch.minutes / asked.minutes
        falling = (1 + math.cos(math.pi * min(1.0, done))) / 2 if tuned else (400 / step) ** 0.5
        for group in optimizer.param_groups:
            group["lr"] = 1e-3 * min(step / 400, falling if step > 400 else 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        judge.tokens += batch.target_count
        judge.look(lambda texts, beam: generate(model, ready, texts, beam))
    judge.look(lambda texts, beam: generate(model, ready, texts, beam), ended=True)
    stream.close()


def generate(model: nn.Module, ready: PreparedPairs, texts: Sequence[str], beam: int) -> list[str]:
    """Translate by transformers' own search, sentences of similar length together."""
    model.eval()
    encoded = ready.tokenizer.source.encode_batch(list(texts))
    order = sorted(range(len(texts)), key=lambda i: -len(encoded[i]))
    outputs = [""] * len(texts)
    for at in range(0, len(order), 50):
        rows = order[at : at + 50]
        source = torch.from_numpy(make_source([encoded[r] for r in rows]))
        with torch.inference_mode():
            found = model.generate(  # type: ignore[operator]
                input_ids=source,
                attention_mask=source.ne(PAD).long(),
                num_beams=beam,
                do_sample=False,
                max_new_tokens=2 * source.shape[1] + 20,
                bad_words_ids=[[PAD]],
            )
        for row, ids in zip(rows, found.tolist(), strict=True):
            ids = ids[1:]
            ids = ids[: ids.index(END)] if END in ids else ids
            outputs[row] = ready.tokenizer.target.decode([i for i in ids if i != PAD])
    return outputs


def dragoman(asked: argparse.Namespace, folder: Path) -> None:
    """Train the recipe that `dragoman new` writes for one core, by the product's own loop."""
    corpus = FilesCorpus(train=(asked.corpus.absolute(),), held_out=HELD_OUT, seed=1)
    made = new("dragoman", corpus, asked.minutes * 60 / TRAINED, threads=1, seed=asked.seed)
    print(made.text, flush=True)
    training = Training(made.recipe, folder)
    judge = Judge(asked, load_held_out(training.run.data).tests["test"], training.watch)

    def look() -> None:
        judge.tokens = training.tokens
        judge.look(training.translate)

    training.train(asked.minutes, look)
    judge.look(training.translate, ended=True)


def report(rows: list[dict[str, Any]]) -> None:
    """Print one line for each judgement, contestants side by side."""
    for row in sorted(rows, key=lambda r: (r["contestant"], r["budget"], r["minutes"], r["beam"])):
        print(
            f"{row['contestant']:<14} {row['minutes']:6.2f} core-minutes of {row['budget']:g}, "
            f"beam {row['beam']}: BLEU {row['bleu']:5.2f}  chrF {row['chrf']:5.2f}  "
            f"({row['target_tokens']:,} target tokens)"
        )


def draw(rows: list[dict[str, Any]], path: Path) -> None:
    """Draw greedy BLEU and chrF over core-minutes."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, panels = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    for panel, metric in zip(panels, ("bleu", "chrf"), strict=True):
        for name in sorted({(row["contestant"], row["budget"]) for row in rows}):
            line = [r for r in rows if (r["contestant"], r["budget"]) == name and r["beam"] == 1]
            line.sort(key=lambda row: row["minutes"])
            panel.plot(
                [row["minutes"] for row in line],
                [row[metric] for row in line],
                marker="o",
                markersize=3,
                label=f"{name[0]}, {name[1]:g} min",
            )
        panel.set(xlabel="core-minutes", title="BLEU" if metric == "bleu" else "chrF")
        panel.grid(alpha=0.3)
    panels[0].legend(frameon=False, fontsize=8)
    figure.savefig(path, dpi=110)


def main() -> None:
    """Run one contestant, or all of them two at a time."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=Path, default=Path("time-to-quality.jsonl"))
    parser.add_argument("--draw", type=Path, help="only draw what the output file holds")
    parser.add_argument("--contestant", choices=CONTESTANTS, help="only this one, in this process")
    asked = parser.parse_args()
    if asked.draw:
        draw([json.loads(line) for line in asked.output.read_text().splitlines()], asked.draw)
        return
    if asked.contestant:
        torch.set_num_threads(1)
        keep_freed_memory()
        with tempfile.TemporaryDirectory() as folder:
            (dragoman if asked.contestant == "dragoman" else marian)(asked, Path(folder))
        return
    with ThreadPoolExecutor(max_workers=2) as pool:
        commands = [[sys.executable, *sys.argv, "--contestant", name] for name in CONTESTANTS]
        for finished in pool.map(subprocess.run, commands):
            finished.check_returncode()
    report([json.loads(line) for line in asked.output.read_text().splitlines()])


if __name__ == "__main__":
    main()
