"""A house full of small runs behind the whole server, and one browser page to walk through it."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from tests.served import served
from tests.tiny_language_models import train_language_model
from tests.translated_runs import in_languages

from dragoman.config.serving import ServingSettings
from dragoman.lab.catalogue import topics
from dragoman.lab.claims import ExactClaim
from dragoman.lab.records import record_of, write_records
from dragoman.server.app import create_app
from dragoman.server.plan import ServerPlan
from dragoman.trainer import train

ENOUGH = [
    "training.steps=200",
    "training.validate_every=100",
    "training.checkpoint_every=200",
    "model.width=32",
    "optimizer.learning_rate=0.01",
]
"""What makes the tiny network write words."""

HOME = ("http://127.0.0.1:", "data:")
HOSTILE = '<img src=x onerror="document.title=1">'
HOLDING = (
    "import sys; from pathlib import Path; from dragoman.core.lock import only_process\n"
    "with only_process(Path(sys.argv[1])): print('held', flush=True); sys.stdin.read()"
)
TABLE = f"""# Who {HOSTILE} remembers

`dragoman lab run memory --quick`; seeds 1; 3 s of measuring.

## By length

| model | short | long |
| --- | --: | --: |
| *gru* | 71.2 | {HOSTILE} |

## What became of the statements

**B1: confirmed.** The notes say that so.
"""


@pytest.fixture(scope="session")
def folder(tiny: SimpleNamespace, runs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder of runs of every kind; `live` may be written into."""
    torch.set_num_threads(1)
    house = tmp_path_factory.mktemp("house")
    place = house / "runs"
    train(tiny.recipe, ENOUGH, folder=house / "trained")
    for name, source, target in (("en-es", "en", "es"), ("es-en", "es", "en")):
        in_languages(house / "trained", place / name, source, target)
    earlier = in_languages(house / "trained", place / "earlier", "en", "es")
    shutil.copy(earlier / "best" / "step-100.safetensors", earlier / "model.safetensors")
    for name in ("clip", "sorter", "shapes"):
        shutil.copytree(runs / name, place / name)
    train_language_model(place, "counter", steps=40)
    live = Path(shutil.copytree(tiny.run, place / "live"))
    log = (live / "metrics.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (live / "metrics.jsonl").write_text("".join(log[:3]), encoding="utf-8")
    (live / "card.md").write_text(f"# live\n\nMade of **{HOSTILE}** and `code`.\n", "utf-8")
    _write_experiment(house / "lab" / "memory-quick")
    _write_claims(house / "lab")
    return house


def _write_claims(lab: Path) -> None:
    """Run the first claims of the first topic, as `dragoman lab run` does."""
    first = next(iter(topics().values()))
    exact = [one for one in first.claims if isinstance(one, ExactClaim)][:3]
    found = {one.id: one.check(one.parameters()) for one in exact}
    records = {one.id: record_of(one, one.parameters(), found[one.id], 0.1) for one in exact}
    write_records(lab / "claims.json", records)


def _write_experiment(place: Path) -> None:
    place.mkdir(parents=True)
    finding = {"ledger": ["B1"], "notes": f"so {HOSTILE}.", "verdict": "confirmed"}
    result = {
        "title": f"Who {HOSTILE} remembers",
        "size": "quick",
        "seeds": [1],
        "findings": [{**finding, "because": "It does."}],
    }
    (place / "result.json").write_text(json.dumps(result), encoding="utf-8")
    (place / "table.md").write_text(TABLE, encoding="utf-8")


@contextmanager
def open_house(folder: Path, names: Sequence[str], **changes: Any) -> Iterator[str]:
    """Serve runs of a folder behind the whole middleware; give the address."""
    settings = ServingSettings(**changes)
    scratch = folder / "scratch"
    scratch.mkdir(parents=True, exist_ok=True)
    places = tuple(folder / "runs" / name for name in names)
    plan = ServerPlan(settings, places, scratch, folder / "runs", folder / "lab", threads=1)
    with served(create_app(plan), settings) as server:
        yield server.url


@pytest.fixture(scope="session")
def address(folder: Path) -> Iterator[str]:
    """Serve a run of every kind; give the address."""
    names = ("en-es", "earlier", "es-en", "counter", "clip", "sorter", "shapes")
    with open_house(folder, names) as url:
        yield url


@pytest.fixture
def training(folder: Path) -> Iterator[Path]:
    """Have a real process hold the run `live`, as training does; give its folder."""
    live = folder / "runs" / "live"
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDING, str(live)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"held\n"
    yield live
    holder.communicate()


@dataclass
class Walk:
    """A page of a real browser, and what went wrong on it."""

    page: Any
    address: str
    errors: list[str] = field(default_factory=list)
    abroad: list[str] = field(default_factory=list)

    def go(self, place: str, address: str = "") -> Any:
        """Open a place of the studio anew, wide and light."""
        self.page.set_viewport_size({"width": 1280, "height": 820})
        self.page.emulate_media(color_scheme="light", reduced_motion="reduce")
        self.page.goto("about:blank")
        self.page.goto(f"{address or self.address}/{place}")
        self.page.wait_for_selector("h1")
        return self.page

    def translated(self, text: str) -> Any:
        """Open the translator and have it translate a text."""
        page = self.go("#translate")
        page.fill("#source-text", text)
        page.wait_for_selector(".word")
        return page

    def wrong(self) -> list[str]:
        """Say what is wrong with the page, wide and narrow, light and dark."""
        script = Path(__file__).with_name("accessibility.js").read_text(encoding="utf-8")
        found = []
        for width in (1280, 375):
            self.page.set_viewport_size({"width": width, "height": 820})
            for scheme in ("light", "dark"):
                self.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
                found += [f"{width} {scheme}: {one}" for one in self._settled(script)]
        return found

    def _settled(self, script: str) -> list[str]:
        """Give the page a moment to draw itself anew."""
        wrong: list[str] = self.page.evaluate(script)
        for _ in range(20):
            if not wrong:
                break
            self.page.wait_for_timeout(100)
            wrong = self.page.evaluate(script)
        return wrong


@pytest.fixture(scope="session")
def _walk(browser: Any, address: str) -> Iterator[Walk]:
    context = browser.new_context(accept_downloads=True)
    page = context.new_page()
    page.set_default_timeout(10_000)
    walk = Walk(page, address)
    page.on("pageerror", lambda error: walk.errors.append(str(error)))
    page.on("console", lambda said: walk.errors.append(said.text) if said.type == "error" else None)
    page.on("dialog", lambda dialog: (walk.errors.append("a dialog"), dialog.dismiss()))
    page.on(
        "request",
        lambda one: None if one.url.startswith(HOME) else walk.abroad.append(one.url),
    )
    yield walk
    context.close()


@pytest.fixture
def walk(_walk: Walk) -> Iterator[Walk]:
    """Give the page; no error may be told and nothing asked for elsewhere while it is used."""
    _walk.errors.clear()
    yield _walk
    _walk.page.context.set_offline(False)
    _walk.page.unroute_all()
    refused = "Failed to load resource"  # the browser's own words on every status from 400 on
    assert [one for one in _walk.errors if not one.startswith(refused)] == []
    assert _walk.abroad == []
