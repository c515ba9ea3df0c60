"""What holds everywhere in the source, checked on its syntax trees."""

import ast
import importlib.metadata
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "dragoman"
FILES = sorted(SOURCE.rglob("*.py"))
TREES = {path: ast.parse(path.read_text(encoding="utf-8")) for path in FILES}
BANNED_MODULES = {"pickle", "cPickle", "dill", "cloudpickle", "marshal", "shelve", "joblib"}
BANNED_CALLS = {"eval", "exec", "compile", "__import__"}
BANNED_METHODS = {("torch", "load"), ("torch", "save"), ("yaml", "load"), ("os", "system")}


def nodes(kind):
    for path, tree in TREES.items():
        for node in ast.walk(tree):
            if isinstance(node, kind):
                yield f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 0)}", node


def test_nothing_that_could_run_a_stranger_s_code_is_imported():
    for where, node in nodes(ast.Import | ast.ImportFrom):
        names = [alias.name for alias in node.names]
        if isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
            banned = {(node.module, alias.name) for alias in node.names} & BANNED_METHODS
            assert not banned, where
        assert not {name.split(".")[0] for name in names} & BANNED_MODULES, where


def test_nothing_that_could_run_a_stranger_s_code_is_called():
    for where, node in nodes(ast.Call):
        match node.func:
            case ast.Name(id=name):
                assert name not in BANNED_CALLS, where
            case ast.Attribute(value=ast.Name(id=owner), attr=name):
                assert (owner, name) not in BANNED_METHODS, where
        assert not any(
            keyword.arg == "allow_pickle" or (keyword.arg == "shell" and keyword.value)
            for keyword in node.keywords
        ), where


def test_no_function_swallows_arguments():
    for where, node in nodes(ast.arguments):
        assert node.kwarg is None, f"{where}: **{node.kwarg.arg}"


def test_assertions_are_for_tests():
    assert [where for where, _ in nodes(ast.Assert)] == []


def test_a_package_s_first_file_holds_its_docstring_and_nothing_else():
    for path, tree in TREES.items():
        if path.name == "__init__.py" and path.parent != SOURCE:
            assert ast.get_docstring(tree), path
            assert len(tree.body) == 1, path


def test_every_file_begins_with_a_docstring():
    assert [path for path, tree in TREES.items() if not ast.get_docstring(tree)] == []


def test_no_public_class_name_stands_for_two_things():
    places = {}
    for path, tree in TREES.items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(str(path.relative_to(SOURCE)))
    assert {name: where for name, where in places.items() if len(where) > 1} == {}


def test_the_public_names_are_these():
    import dragoman

    assert sorted(dragoman.__all__) == [
        "CheckpointError",
        "Classifier",
        "ConfigError",
        "DataError",
        "DivergedError",
        "DragomanError",
        "ImageClassifier",
        "LanguageModel",
        "MaskedLanguageModel",
        "Matcher",
        "Recipe",
        "Reconstructor",
        "RunError",
        "Tagger",
        "Tokenizer",
        "TokenizerPair",
        "Translator",
        "evaluate",
        "load",
        "train",
    ]
    for name in dragoman.__all__:
        assert getattr(dragoman, name).__name__ == name
    assert dir(dragoman) == sorted(dragoman.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        dragoman.nothing  # noqa: B018


def modules_after(code: str) -> set[str]:
    code += "; import sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize(
    "code",
    ["import dragoman", "import dragoman.cli.main", "import dragoman; dragoman.DragomanError"],
)
def test_importing_costs_nothing(code):
    assert not modules_after(code) & {"torch", "numpy", "pydantic", "tokenizers", "matplotlib"}


def test_help_imports_little():
    """What decides how soon help comes; `benchmarks/start_up.py` measures the time itself (P3)."""
    code = (
        "import sys; sys.argv = ['dragoman', '--help']\n"
        "from dragoman.cli.main import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print('then', *sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.rpartition("then")[2].split())
    assert "dragoman.cli.main" in loaded
    assert not loaded & {"torch", "numpy", "pydantic", "tokenizers", "matplotlib"}
    assert len(loaded) <= 400  # 334 when this was written


def test_the_training_loop_reaches_few_files():
    graph = grimp.build_graph("dragoman", exclude_type_checking_imports=True)
    reached, waiting = set(), ["dragoman.engine.training.loop"]
    while waiting:
        found = graph.find_modules_directly_imported_by(waiting.pop())
        new = {one for one in found if one.startswith("dragoman.")} - reached
        reached |= new
        waiting += new
    assert 20 < len(reached) <= 60, sorted(reached)


def test_the_import_contracts_hold():
    done = subprocess.run(
        [Path(sys.executable).with_name("lint-imports")], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout


def version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", text.partition("+")[0])[:3])


def test_what_is_installed_meets_the_floors():
    """P2."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"]]
    for extra in project["optional-dependencies"].values():
        wanted += [line for line in extra if not line.startswith("dragoman")]
    assert len(wanted) > 15
    for line in wanted:
        name, _, floor = line.partition(">=")
        assert floor, f"{line} has no floor"
        assert version(importlib.metadata.version(name)) >= version(floor), line


def test_no_file_and_no_function_is_too_large():
    done = subprocess.run(
        [sys.executable, ROOT / "tests/architecture/sizes.py"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout


def test_a_file_or_function_beyond_the_budget_would_be_noticed(tmp_path):
    (tmp_path / "long.py").write_text("def long():\n" + "    pass\n" * 81 + "x = 1\n" * 400)
    code = "import sys; sys.argv = ['x']; sys.path.insert(0, sys.path[0]);"
    code += f"import runpy; m = runpy.run_path({str(ROOT / 'tests/architecture/sizes.py')!r});"
    code += f"from pathlib import Path; print(m['too_large'](m['sizes'](Path({str(tmp_path)!r}))))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "True"
    assert "long.py: 482 lines" in done.stdout
    assert "long: 82 lines" in done.stdout


def test_the_chart_counts_every_line():
    asked = [sys.executable, ROOT / "tests/architecture/sizes.py", "--chart"]
    done = subprocess.run(asked, capture_output=True, text=True, check=True)
    files = SOURCE.rglob("*.py")
    total = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files)
    assert done.stdout.splitlines()[-1].split() == ["all", str(total)]
