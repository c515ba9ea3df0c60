"""What a user installs: the wheel, and the environment that `make` builds."""

import importlib.metadata
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", folder],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (built,) = folder.glob("*.whl")
    return built


def test_the_wheel_carries_the_package_its_types_and_every_recipe(wheel):
    inside = set(zipfile.ZipFile(wheel).namelist())
    assert "dragoman/py.typed" in inside
    for recipe in (ROOT / "recipes").glob("*.toml"):
        assert f"dragoman/recipes/{recipe.name}" in inside
    package = ROOT / "src" / "dragoman"
    page = [path for path in (package / "server/studio/page").rglob("*") if path.is_file()]
    assert len(page) > 40
    for module in (*package.rglob("*.py"), *package.glob("plots/attention_page.*"), *page):
        assert f"dragoman/{module.relative_to(package).as_posix()}" in inside
    assert not any(name.startswith(("tests/", "docs/")) for name in inside)


def test_the_installed_wheel_shows_and_trains_a_shipped_recipe(wheel, tmp_path):
    site = tmp_path / "site"
    zipfile.ZipFile(wheel).extractall(site)
    # Only the wheel's package: the editable install of this checkout must not be what answers.
    code = (
        "import sys, dragoman; from pathlib import Path;"
        f"assert Path(dragoman.__file__).is_relative_to({str(site)!r});"
        "from dragoman.cli.main import main; main()"
    )

    def dragoman(*arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, "-c", code, *arguments],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(site)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert "english-hindi" in dragoman("show")
    quick = ["corpus.pairs=60", "corpus.held_out=5", "training.steps=2", "model.width=16"]
    dragoman("train", "english-hindi", "--output", "run", *quick)
    assert (tmp_path / "run" / "model.safetensors").is_file()


def test_the_environment_is_consistent_and_brings_no_gpu_packages():
    done = subprocess.run(
        [sys.executable, "-m", "pip", "check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
    names = {dist.metadata["Name"].lower() for dist in importlib.metadata.distributions()}
    assert not {name for name in names if name.startswith("nvidia") or name == "torchvision"}


def test_what_is_tested_is_what_the_constraints_pin():
    pins = dict(
        line.split("==") for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").split()
    )
    assert not any("+" in version for version in pins.values()), "a local build is pinned"
    for name in ("torch", "numpy", "tokenizers", "sacrebleu", "pydantic", "safetensors"):
        assert importlib.metadata.version(name).partition("+")[0] == pins[name]
