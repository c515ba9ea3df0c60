"""Everything the documentation shows runs."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dragoman.config.manual import manual
from dragoman.config.reading import read_recipe, shipped_recipes
from dragoman.config.sampling import SamplingSettings
from dragoman.config.sections import section_models
from dragoman.config.serving import ServingSettings
from dragoman.config.synonyms import SYNONYMS
from dragoman.data.grammar.sample import draw_sets

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
BUILT = DOCS / "_build"
PAGES = sorted(
    [ROOT / "README.md", *(page for page in DOCS.rglob("*.md") if BUILT not in page.parents)],
    key=lambda page: page.name,
)
FENCE = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
QUICK = (
    "training.steps=12 training.validate_every=6 model.width=16 model.ffn_width=32 "
    "tokenizer.vocab_size=400 batches.max_tokens=300 training.validation_sentences=8"
)


def blocks(page: Path, language: str) -> list[str]:
    return [
        body for kind, body in FENCE.findall(page.read_text(encoding="utf-8")) if kind == language
    ]


def run_python(code: str, folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def run_shell(line: str, folder: Path) -> str:
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = subprocess.run(
        line, shell=True, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{line}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def workplace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the README's own recipe, a corpus, and the runs that the pages speak of."""
    folder = tmp_path_factory.mktemp("reader")
    people = ["the boy", "the girl", "the king", "my sister", "a farmer"]
    deeds = ["reads a book", "drinks water", "sees the river", "sings", "buys mangoes"]
    times = ["today", "every day", "in the city", "at night", "again"]
    lines = [f"{p} {d} {t}" for p in people for d in deeds for t in times]
    pairs = "".join(f"{line}\t{' '.join(reversed(line.split()))}\n" for line in lines)
    (folder / "my.tsv").write_text(pairs, encoding="utf-8")
    (folder / "my-test.tsv").write_text("a king sings\tsings king a\n" * 3, encoding="utf-8")
    (folder / "letters.txt").write_text("The boy reads.\n\nA king.\n", encoding="utf-8")
    (recipe,) = blocks(ROOT / "README.md", "toml")
    (folder / "my.toml").write_text(recipe, encoding="utf-8")
    run_shell(f"dragoman train my.toml {QUICK}", folder)
    run_shell(blocks(DOCS / "tutorials/language-models.md", "sh")[0].splitlines()[0], folder)
    for name in ("demo", "other"):
        run_shell(f"cp -r runs/my runs/{name} && rm runs/{name}/data/checksums.json", folder)
        (folder / f"runs/{name}/data/test-unseen.source.txt").write_text("a king\n" * 4)
        (folder / f"runs/{name}/data/test-unseen.target.txt").write_text("king a\n" * 4)
        split = folder / f"runs/{name}/data/split.json"
        split.write_text(
            split.read_text().replace('"test_pairs": {', '"test_pairs": {"unseen": 4, ')
        )
    return folder


def readme_commands() -> list[str]:
    return [
        line
        for block in blocks(ROOT / "README.md", "sh")
        for line in block.splitlines()
        if "dragoman " in line and not line.startswith("make")
    ]


def test_the_quick_start_has_the_commands_of_the_readme():
    assert "".join(blocks(DOCS / "quick-start.md", "sh")).splitlines() == readme_commands()


@pytest.mark.slow
def test_the_commands_of_the_readme_run_as_written(workplace):
    commands = readme_commands()
    assert len(commands) == 5
    for line in commands:
        quickly = {"train": f"{line} {QUICK}", "new": f"{line} --output other.toml"}
        run_shell(quickly.get(line.split()[1], line), workplace)
    assert read_recipe(workplace / "other.toml").training.steps > 0
    assert (workplace / "runs/my/scores.json").is_file()


APART = ("README.md", "quick-start.md", "your-own-pair.md", "images.md", "serving.md")
"""Pages that are followed by tests of their own."""


@pytest.mark.slow
def test_the_commands_of_the_tour_run_as_written(workplace):
    run_shell("dragoman train my.toml --output runs/python " + QUICK, workplace)
    commands = [
        line
        for page in PAGES
        if page.name not in APART and DOCS / "results" not in page.parents
        for block in blocks(page, "sh")
        for line in block.splitlines()
        if shlex.split(line, comments=True) and "RECIPE" not in line
    ]
    assert len(commands) >= 8
    for line in commands:
        run_shell(line, workplace)


@pytest.mark.slow
def test_the_page_on_pictures_can_be_followed_line_by_line(tmp_path):
    page = DOCS / "tutorials/images.md"
    for block in blocks(page, "toml"):
        (tmp_path / block.split()[1]).write_text(block, encoding="utf-8")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["describer.toml", "sorter.toml"]
    commands = [line for block in blocks(page, "sh") for line in block.splitlines()]
    assert len(commands) >= 9
    for line in commands:
        run_shell(line, tmp_path)
    assert (tmp_path / "runs/rebuilder/reconstructions.png").is_file()


@pytest.mark.slow
def test_the_page_on_serving_can_be_followed_line_by_line(workplace):
    page = DOCS / "how-to/serving.md"
    first, *commands = [line for block in blocks(page, "sh") for line in block.splitlines()]
    assert first == "dragoman serve runs/demo"
    folder = workplace / "serving"
    shutil.copytree(workplace / "runs/demo", folder / "runs/demo")
    recipe = folder / "runs/demo/recipe.toml"
    assert 'target_language = "hi"' in recipe.read_text(encoding="utf-8")
    command = [sys.executable, "-m", *first.split()]
    with subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert "http://127.0.0.1:5000/" in server.stderr.readline()
            for line in commands:
                assert "error" not in run_shell(line, folder)
            run_python("\n".join(blocks(page, "python")), folder)
        finally:
            server.terminate()
        assert server.wait(30) == 0


def test_the_page_on_serving_names_every_setting_with_its_default():
    page = (DOCS / "how-to/serving.md").read_text(encoding="utf-8")
    for name, field in ServingSettings.model_fields.items():
        shown = "" if field.default in (None, ()) else f"`{field.default}`"
        meaning = " ".join((field.description or "").split())
        assert f"| `{name}` | {shown} | {meaning} |" in page


TMX = (
    '<tu><tuv xml:lang="en"><seg>{source}</seg></tuv>'
    '<tuv xml:lang="hi"><seg>{target}</seg></tuv></tu>'
)
XLIFF = '<trans-unit id="{number}"><source>{source}</source><target>{target}</target></trans-unit>'
FILES = {
    "memory.tmx": (
        '<?xml version="1.0" encoding="UTF-8"?>\n<tmx version="1.4"><header srclang="en"/><body>',
        TMX,
        "</body></tmx>",
    ),
    "texts.xliff": (
        '<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file '
        'source-language="en" target-language="hi" datatype="plaintext" original="a"><body>',
        XLIFF,
        "</body></file></xliff>",
    ),
    "messages.po": (
        'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n',
        'msgid "{source}"\nmsgstr "{target}"\n',
        "",
    ),
}


OWN_PAIR = "".join(blocks(DOCS / "tutorials/your-own-pair.md", "sh")).splitlines()


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_your_own_pair_in_one_hour_can_be_followed_line_by_line(tmp_path, name):
    head, body, tail = FILES[name]
    drawn = draw_sets(pairs=1500, held_out=10, difficulty=1, seed=5).train
    filled = [
        body.format(number=number, source=pair.source, target=pair.target)
        for number, pair in enumerate(drawn)
    ]
    (tmp_path / name).write_text("\n".join([head, *filled, tail]), encoding="utf-8")
    (tmp_path / "letters.txt").write_text("The boy reads.\nThe girl sings.\n", encoding="utf-8")
    lines = [line for line in OWN_PAIR if Path(name).stem in line]
    assert len(lines) >= 3
    for line in lines:
        out = run_shell(re.sub(r"--time \d+m", "--time 1m", line), tmp_path)
        assert "BLEU" in out or "evaluate" not in line
    for written in tmp_path.glob("*.translated.txt"):
        assert len(written.read_text("utf-8").splitlines()) == 2


def test_every_line_of_that_page_belongs_to_one_of_its_files():
    stems = [Path(name).stem for name in FILES]
    assert OWN_PAIR
    assert all(any(stem in line for stem in stems) for line in OWN_PAIR)


@pytest.mark.slow
def test_the_python_of_every_page_runs(workplace):
    pages = [page for page in PAGES if blocks(page, "python") and page.name != "serving.md"]
    assert len(pages) >= 3
    quick = [f'"{change}"' for change in QUICK.split()]
    for page in sorted(pages, key=lambda p: "training" not in p.name):
        code = "\n".join(blocks(page, "python"))
        run_python(code.replace('"training.steps=20"', ", ".join(quick)), workplace)


def test_the_manual_of_recipes_is_what_the_settings_say():
    folder = DOCS / "reference/recipes"
    assert {page.name: page.read_text(encoding="utf-8") for page in folder.iterdir()} == manual()


def test_every_synonym_belongs_to_a_key_that_exists():
    keys = {
        f"{s}.{k}" for s, models in section_models().items() for m in models for k in m.model_fields
    }
    keys |= {f"serving.{key}" for key in ServingSettings.model_fields}
    keys |= {f"decoding.sampling.{key}" for key in SamplingSettings.model_fields}
    assert set(SYNONYMS) <= keys | {"seed"}


def test_every_shipped_recipe_loads_and_opens_with_the_command_that_runs_it():
    recipes = shipped_recipes()
    assert recipes
    for name, path in recipes.items():
        assert read_recipe(path).name == name
        assert f"dragoman train {name}" in path.read_text(encoding="utf-8").splitlines()[1]


def test_every_link_between_pages_leads_somewhere():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            if not target.startswith("http"):
                assert (page.parent / target).exists(), f"{page} → {target}"


def test_every_page_of_the_site_is_in_a_table_of_contents():
    listed = {DOCS / "index.md"}
    for page in PAGES:
        for block in re.findall(r"^```{toctree}\n(.*?)^```", page.read_text("utf-8"), re.M | re.S):
            entries = [line for line in block.splitlines() if line and not line.startswith(":")]
            for entry in entries:
                found = {path.resolve() for path in page.parent.glob(f"{entry}.md")}
                assert found, f"{page}: {entry}"
                listed |= found
    assert {page for page in PAGES if DOCS in page.parents} == listed


def test_every_place_of_the_walk_exists():
    text = (DOCS / "concepts/walk.md").read_text(encoding="utf-8")
    walk, before = text.split("\n## Before")
    assert "42 hops to train, 24 to translate" in before
    train, translate = (part.split("\n## ")[0] for part in walk.split("\n## T")[1:])
    hops = [re.findall(r"^(\d+)\. ", part, re.M) for part in (train, translate)]
    for numbers in hops:
        assert numbers == [str(number) for number in range(1, len(numbers) + 1)]
    stated = f"{len(hops[0])} hops to train, {len(hops[1])} to translate"
    assert stated in " ".join(text.split())
    places = re.findall(r"`([\w/]+\.py)`(?:\s·\s`(\w+)`)?", walk)
    assert len(places) > sum(map(len, hops)) - 1
    for path, name in places:
        source = (ROOT / "src/dragoman" / path).read_text(encoding="utf-8")
        if name:
            assert re.search(rf"^(?:def|class) {name}\b", source, re.MULTILINE), f"{path}: {name}"
