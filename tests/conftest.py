"""What many tests share: a tiny corpus, a tiny recipe, and one run that is trained once."""

import json
import os
import random
import shutil
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.power_cuts import PowerCutError

WORDS = ["sun", "moon", "sea", "sky", "red", "blue", "cat", "dog", "tree", "bird", "fish", "song"]
WALL_CLOCK = {"seconds", "tokens_per_second"}
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

RECIPE = """
name = "tiny"
seed = 3

[corpus]
train = "corpus.tsv"
held_out = 20

[tokenizer]
vocab_size = 330

[batches]
max_tokens = 128

[model]
width = 16
heads = 2
encoder_layers = 1
decoder_layers = 1
ffn_width = 32

[schedule]
warmup_steps = 20

[training]
steps = 40
threads = 1
device = "cpu"
log_every = 5
validate_every = 20
checkpoint_every = 7
validation_sentences = 5

[decoding]
beam = 2
"""


def write_recipe(folder: Path, pairs: int = 300) -> Path:
    """Write a corpus whose target is its source with the words in reverse, and a recipe for it."""
    draw = random.Random(1)
    sources: set[str] = set()
    while len(sources) < pairs:
        sources.add(" ".join(draw.choices(WORDS, k=draw.randint(2, 6))))
    lines = [f"{s}\t{' '.join(reversed(s.split()))}\n" for s in sorted(sources)]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "corpus.tsv").write_text("".join(lines), encoding="utf-8")
    (folder / "tiny.toml").write_text(RECIPE, encoding="utf-8")
    return folder / "tiny.toml"


def result_of(folder: Path) -> tuple[str, list[dict[str, Any]]]:
    """Return what two equal runs have in common: the model's bits, and the log but for clocks."""
    rows = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    kept = [{key: row[key] for key in row if key not in WALL_CLOCK} for row in rows]
    return sha256((folder / "model.safetensors").read_bytes()).hexdigest(), kept


@pytest.fixture(scope="session", autouse=True)
def _cache_of_its_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep out of the user's cache, in this process and in those it starts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DRAGOMAN_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session")
def result() -> Callable[[Path], tuple[str, list[dict[str, Any]]]]:
    """Give the function that fingerprints a finished run."""
    return result_of


@pytest.fixture
def cut_power(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Give a function that makes the next training fall at a step, before it is logged."""
    from dragoman.engine.training import log

    def cut_at(step: int) -> None:
        whole = log.TrainingLog.__call__

        def fall(self: Any, report: Any) -> None:
            if report.step == step:
                monkeypatch.setattr(log.TrainingLog, "__call__", whole)
                raise PowerCutError
            whole(self, report)

        monkeypatch.setattr(log.TrainingLog, "__call__", fall)

    return cut_at


@pytest.fixture
def resumes_exactly(
    cut_power: Callable[[int], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., None]:
    """Give a test that a training which is cut off at a step resumes to the bits of a whole one."""
    from dragoman import trainer

    monkeypatch.setattr(trainer, "draw_curves", lambda rows, path, title: path.write_bytes(b""))

    def check(
        recipe: Path | None, changes: Sequence[str], step: int, folders: Sequence[Path] = ()
    ) -> None:
        """Without a recipe, the folders hold runs that go on by their own."""
        whole, cut = folders or (tmp_path / "whole", tmp_path / "cut")
        trainer.train(recipe or whole / "recipe.toml", changes, folder=whole)
        cut_power(step)
        with pytest.raises(PowerCutError):
            trainer.train(recipe or cut / "recipe.toml", changes, folder=cut)
        trainer.train(recipe or cut / "recipe.toml", changes, folder=cut)
        assert result_of(cut) == result_of(whole)

    return check


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    """Give a tiny recipe with its corpus beside it."""
    return write_recipe(tmp_path / "recipe")


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> SimpleNamespace:
    """Train the tiny recipe once: `recipe` is its file, `run` its folder. Do not change either."""
    from dragoman.trainer import train

    folder = tmp_path_factory.mktemp("tiny")
    path = write_recipe(folder)
    train(path, folder=folder / "run")
    return SimpleNamespace(recipe=path, run=folder / "run", result=result_of(folder / "run"))


@pytest.fixture
def run(tiny: SimpleNamespace, tmp_path: Path) -> Path:
    """Give a copy of the trained run, to be changed at will."""
    return Path(shutil.copytree(tiny.run, tmp_path / "run"))


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    """Keep in-process training to one thread, whatever ran before."""
    import sys

    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)


@pytest.fixture
def dragoman(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Any]:
    """Give the command as a function: its exit code, what it printed and what it said."""
    from dragoman.cli import main as command

    kept = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def run(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["dragoman", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            command.main()
        said = capsys.readouterr()
        return int(left.value.code or 0), said.out, said.err

    yield run
    for number, handler in kept.items():
        signal.signal(number, handler)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Give the Chromium of this machine; one without it skips these tests, but CI never does."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        reason = f"there is no browser here: none of {', '.join(BROWSERS)}"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        running = started.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield running
        running.close()
