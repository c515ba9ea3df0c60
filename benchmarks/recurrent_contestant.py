"""One contestant of `recurrent_speed.py`: a process that keeps a model and trains it when asked.

It runs under the interpreter of the toolkit that it measures, so nothing of Dragoman or of a peer
is imported until that one is asked for. It answers on standard output, a line of JSON for a line of
JSON: first with the number of its parameters, then, for a list of batch files, with the processor
seconds that it took to read them and train on them, and the mean loss over their target tokens.
"""

import argparse
import ctypes
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

PAD = 0
DROPOUT, SMOOTHING, RATE, CLIP = 0.1, 0.1, 1e-3, 1.0
Tokens = NDArray[np.int64]
Step = Callable[[Tokens, Tokens], float]
"""One training step on a source and a target; returns the summed loss."""


def dragoman(attention: str, width: int, vocabulary: int) -> tuple[nn.Module, Step]:
    """Take a step as Dragoman's loop does."""
    from dragoman.config.recurrent import RecurrentSettings
    from dragoman.config.training import AdamW, ObjectiveSettings
    from dragoman.data.batching.batch import Batch
    from dragoman.neural.models.recurrent.model import RecurrentTranslator
    from dragoman.neural.optim.optimizer import build_optimizer
    from dragoman.tasks.common.teacher_forcing import SequenceToSequenceObjective

    settings = RecurrentSettings(
        width=width,
        context="additive" if attention == "additive" else "general",
        input_feeding=attention == "general",
        dropout=DROPOUT,
    )
    model = RecurrentTranslator(settings, vocabulary, vocabulary, padding=PAD).train()
    task = SequenceToSequenceObjective(model, ObjectiveSettings(label_smoothing=SMOOTHING))
    optimizer = build_optimizer(model, AdamW())
    cpu = torch.device("cpu")

    def step(source: Tokens, target: Tokens) -> float:
        batch = Batch(source, target, np.arange(len(source)))
        loss = task.loss(batch, cpu)
        (loss.smoothed / batch.target_count).backward()
        nn.utils.clip_grad_norm_(model.parameters(), CLIP)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        return float(loss.smoothed.detach())

    return model, step


def opennmt(attention: str, width: int, vocabulary: int) -> tuple[nn.Module, Step]:
    """Take a step as OpenNMT-py's trainer does, with its model, loss and optimizer."""
    import pyonmttok
    from onmt.constants import DefaultTokens
    from onmt.model_builder import build_model
    from onmt.opts import train_opts
    from onmt.utils.loss import LossCompute
    from onmt.utils.optimizers import Optimizer
    from onmt.utils.parse import ArgumentParser

    parser = ArgumentParser()
    train_opts(parser)
    asked = f"""--data unused --src_vocab unused --share_vocab
        --encoder_type brnn --decoder_type rnn --rnn_type LSTM --layers 1
        --hidden_size {width} --word_vec_size {width} --input_feed 1
        --global_attention {"mlp" if attention == "additive" else "general"}
        --share_embeddings --share_decoder_embeddings
        --dropout {DROPOUT} --label_smoothing {SMOOTHING}
        --optim adam --learning_rate {RATE} --max_grad_norm {CLIP}"""
    options = parser.parse_args(asked.split())
    ArgumentParser.update_model_opts(options)
    ArgumentParser.validate_model_opts(options)
    special = [DefaultTokens.PAD, DefaultTokens.UNK, DefaultTokens.BOS, DefaultTokens.EOS]
    words = [f"word{number}" for number in range(vocabulary - len(special))]
    entries = pyonmttok.build_vocab_from_tokens(words, special_tokens=special)
    vocabularies = {"src": entries, "tgt": entries}
    model = build_model(options, options, vocabularies, None, -1).train()
    compute = LossCompute.from_opts(options, model, entries)
    optimizer = Optimizer.from_opt(model, options)

    def step(source: Tokens, target: Tokens) -> float:
        batch = {
            "src": torch.from_numpy(source).unsqueeze(2),
            "srclen": torch.from_numpy((source != PAD).sum(1)),
            "tgt": torch.from_numpy(target).unsqueeze(2),
        }
        optimizer.zero_grad(set_to_none=True)
        states, attentions = model(batch["src"], batch["tgt"], batch["srclen"])
        loss, statistics = compute(batch, states, attentions)
        optimizer.backward(loss / statistics.n_words)
        optimizer.step()
        return float(statistics.loss)

    return model, step


def joeynmt(attention: str, width: int, vocabulary: int) -> tuple[nn.Module, Step]:
    """Take a step as JoeyNMT's trainer does, with its model, batch, loss and optimizer."""
    from joeynmt.batch import Batch
    from joeynmt.builders import build_gradient_clipper, build_optimizer
    from joeynmt.model import build_model
    from joeynmt.vocabulary import Vocabulary

    names = {"unk": "<unk>", "pad": "<pad>", "bos": "<s>", "eos": "</s>"}
    special = SimpleNamespace(
        **{f"{name}_token": token for name, token in names.items()},
        **{f"{name}_id": number for number, name in enumerate(names)},
        sep_token=None,
        lang_tags=[],
    )
    entries = Vocabulary([f"word{n}" for n in range(vocabulary - len(names))], special)
    part = {
        "type": "recurrent",
        "rnn_type": "lstm",
        "embeddings": {"embedding_dim": width, "dropout": DROPOUT},
        "hidden_size": width,
        "num_layers": 1,
    }
    reads = {"bidirectional": True}
    writes = {
        "attention": "bahdanau" if attention == "additive" else "luong",
        "input_feeding": True,
        "init_hidden": "bridge",
        "hidden_dropout": DROPOUT,
    }
    settings = {
        "encoder": part | reads,
        "decoder": part | writes,
        "tied_embeddings": True,
        "tied_softmax": True,
    }
    model = build_model(settings, entries, entries)
    model.loss_function = ("crossentropy", SMOOTHING)
    clip = build_gradient_clipper({"clip_grad_val": None, "clip_grad_norm": CLIP})
    optimizer = build_optimizer({"optimizer": "adam", "learning_rate": RATE}, model.parameters())
    cpu = torch.device("cpu")

    def step(source: Tokens, target: Tokens) -> float:
        model.train()
        batch = Batch(
            src=torch.from_numpy(np.where(source == PAD, special.pad_id, source)),
            src_length=torch.from_numpy((source != PAD).sum(1)),
            src_prompt_mask=None,
            trg=torch.from_numpy(np.where(target == PAD, special.pad_id, target)),
            trg_prompt_mask=None,
            indices=torch.arange(len(source)),
            device=cpu,
            pad_index=special.pad_id,
            eos_index=special.eos_id,
        )
        batch.sort_by_src_length()
        loss, _, _, correct = model(return_type="loss", **vars(batch))
        normalized = batch.normalize(loss, normalization="tokens")
        normalized.backward()
        correct.item()
        clip(parameters=model.parameters())
        optimizer.step()
        model.zero_grad()
        return float(loss.detach())

    return model, step


TOOLKITS = {"dragoman": dragoman, "opennmt": opennmt, "joeynmt": joeynmt}


def train(step: Step, files: list[str]) -> dict[str, float]:
    """Train on the batches of some files."""
    began, loss, tokens = time.process_time(), 0.0, 0
    for file in files:
        with np.load(Path(file)) as batch:
            source, target = batch["source"], batch["target"]
        loss += step(source, target)
        tokens += int((target[:, 1:] != PAD).sum())
    return {"seconds": time.process_time() - began, "tokens": tokens, "loss": loss / tokens}


def keep_freed_memory() -> None:
    """Tell glibc to keep freed blocks, with the settings of `dragoman.engine.runtime`."""
    trim_threshold, mmap_max = -1, -4
    libc = ctypes.CDLL("libc.so.6")
    libc.mallopt(mmap_max, 0)
    libc.mallopt(trim_threshold, 2**31 - 1)


def main() -> None:
    """Build what was asked for, then answer until there is nothing more to train on."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("toolkit", choices=list(TOOLKITS))
    parser.add_argument("attention", choices=("additive", "general"))
    parser.add_argument("width", type=int)
    parser.add_argument("vocabulary", type=int)
    parser.add_argument("--keep-memory", action="store_true")
    asked = parser.parse_args()
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a toolkit prints goes where errors go
    if asked.keep_memory:
        keep_freed_memory()
    torch.set_num_threads(1)
    torch.manual_seed(1)
    model, step = TOOLKITS[asked.toolkit](asked.attention, asked.width, asked.vocabulary)

    def answer(content: dict[str, Any]) -> None:
        print(json.dumps(content), file=answers, flush=True)

    parameters = {id(each): each.numel() for each in model.parameters()}
    answer({"parameters": sum(parameters.values()), "torch": torch.__version__})
    for line in sys.stdin:
        answer(train(step, json.loads(line)))


if __name__ == "__main__":
    main()
