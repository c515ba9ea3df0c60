"""To add a task: one folder, its settings, a line in tasks/open.py; who else names one says why."""

import ast
from pathlib import Path
from typing import get_args

import pytest

from dragoman.config.task import TaskSettings
from dragoman.tasks.open import task_kind

SOURCE = Path(__file__).parents[2] / "src" / "dragoman"
TREES = {
    path.relative_to(SOURCE).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
    for path in sorted(SOURCE.rglob("*.py"))
}
SETTINGS = get_args(get_args(TaskSettings)[0])
FOLDERS = {one: task_kind(one()).open.__module__.split(".")[2] for one in SETTINGS}
CLASSES = {one.__name__: folder for one, folder in FOLDERS.items()}
KINDS = {one.model_fields["kind"].default: folder for one, folder in FOLDERS.items()}
EVERY = set(FOLDERS.values())

ALLOWED = {
    "__init__.py": EVERY,  # the public names
    "config/": EVERY,  # the settings themselves
    "tasks/open.py": EVERY,  # the one dispatch
    "tasks/evaluate.py": {"translation"},  # options that only translators have
    "tasks/missing_word.py": {"language_model", "masked_lm"},  # is found by either
    "data/batching/captions.py": {"image_text"},  # batches made as the settings of a task say
    "data/batching/mask": {"masked_lm"},
    "data/batching/spans.py": {"span_corruption"},
    "engine/checkpoint/network.py": {"translation"},  # below the backends, which translate
    "backends/": {"translation"},
    "pipeline/": {"translation"},  # files are translated
    "planner/": {"translation"},  # plans translators
    "planner/count/corpus_sizes.py": {"tagging"},  # draws a generated corpus to see its labels
    "interop/": {"translation"},  # Argos and CTranslate2 translate; others are proved by it
    "interop/families/": EVERY,  # the task of a network that another library has stored
    "lab/": EVERY,  # an experiment is about certain tasks
    "server/": EVERY,  # each interface serves one
    "cli/demo.py": {"translation"},
    "cli/evaluate_t": {"translation"},  # what only translators are judged by
}
"""Who may name which tasks, by the beginning of the path."""


def named_in(tree):
    """Return the tasks that a file names: by their folders, their settings or their kinds."""
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(module=str(module), names=names):
                yield from (CLASSES[one.name] for one in names if one.name in CLASSES)
                parts = [*module.split("."), *(one.name for one in names)]
                if parts[:2] == ["dragoman", "tasks"]:
                    yield from EVERY & set(parts[2:])
            case ast.Import(names=names):
                yield from (part for one in names for part in EVERY & set(one.name.split(".")))
            case ast.Compare(left=left, comparators=others) if is_task_kind(left):
                yield from (KINDS[one.value] for one in others if is_kind(one))
            case ast.Match(subject=subject, cases=cases) if any(
                map(is_task_kind, ast.walk(subject))
            ):
                values = [one for case in cases for one in ast.walk(case.pattern)]
                yield from (KINDS[one.value] for one in values if is_kind(one))


def is_task_kind(node):
    match node:
        case ast.Attribute(attr="kind", value=ast.Attribute(attr="task") | ast.Name(id="task")):
            return True
    return False


def is_kind(node):
    return isinstance(node, ast.Constant) and node.value in KINDS


def allowed_in(path):
    """Return the tasks that a file may name: its own, those of its verb, and those allowed."""
    own = {folder for folder in EVERY if path.startswith(f"tasks/{folder}/")}
    verbs = {
        folder
        for settings, folder in FOLDERS.items()
        for verb in settings.verbs
        if path.startswith((f"cli/{verb}.", f"cli/{verb}_")) and verb != "evaluate"
    }
    listed = [kinds for prefix, kinds in ALLOWED.items() if path.startswith(prefix)]
    return own.union(verbs, *listed)


NAMED = {path: set(named_in(tree)) for path, tree in TREES.items()}


def test_nobody_but_its_folder_its_settings_and_its_verb_names_a_task():
    wrong = {path: sorted(named - allowed_in(path)) for path, named in NAMED.items()}
    assert {path: kinds for path, kinds in wrong.items() if kinds} == {}


@pytest.mark.parametrize("prefix", ALLOWED)
def test_what_is_allowed_is_needed(prefix):
    named = set().union(*(found for path, found in NAMED.items() if path.startswith(prefix)))
    assert named if ALLOWED[prefix] is EVERY else named >= ALLOWED[prefix]


@pytest.mark.parametrize("folder", sorted(EVERY))
def test_each_folder_brings_its_task_its_evaluation_and_its_part_of_the_card(folder):
    there = {path.name for path in (SOURCE / "tasks" / folder).iterdir()}
    assert {"task.py", "evaluate.py", "report.py"} <= there


def test_every_folder_of_tasks_is_found_by_a_recipe():
    folders = {path.parent.name for path in (SOURCE / "tasks").glob("*/__init__.py")}
    assert folders - {"common"} == EVERY


def test_a_file_that_names_a_task_would_be_noticed():
    text = """
from dragoman.config.task import ImageTaskSettings
from dragoman.tasks.masked_lm.task import KIND
if recipe.task.kind == "span-corruption":
    from dragoman.tasks import autoencoding
match recipe.task.kind:
    case "language-model":
        pass
"""
    assert set(named_in(ast.parse(text))) == {
        *("image_classification", "masked_lm", "span_corruption"),
        *("autoencoding", "language_model"),
    }
