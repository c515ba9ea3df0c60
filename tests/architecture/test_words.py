"""The words of the field stand where an engineer would search for them."""

import ast
import re
from pathlib import Path

import pytest

SRC = Path(__file__).parents[2] / "src" / "dragoman"

WORDS = {
    "KV cache": "neural/layers/kv_cache.py",
    "QKV": "neural/layers/attention.py",
    "self-attention": "neural/layers/attention.py",
    "cross-attention": "neural/layers/blocks.py",
    "relative position bias": "neural/layers/relative_position_bias.py",
    "packing mask": "neural/layers/packing_mask.py",
    "padding mask": "neural/models/transformer.py",
    "label smoothing": "neural/objectives/cross_entropy.py",
    "learning rate": "neural/optim/schedule.py",
    "gradient clipping": "neural/optim/gradient_clipping.py",
    "beam search": "neural/decoding/beam.py",
    "length penalty": "neural/decoding/rules.py",
    "coverage penalty": "neural/decoding/coverage.py",
    "special tokens": "data/tokenizer/special_tokens.py",
    "subword": "data/tokenizer/subwords.py",
    "language identification": "data/formats/identify.py",
    "teacher forcing": "tasks/common/teacher_forcing.py",
    "fine-tuning": "tasks/common/fine_tuning.py",
    "word alignment": "tasks/translation/alignment.py",
    "early stopping": "engine/training/early_stopping.py",
    "quality estimation": "pipeline/confidence.py",
    "isoFLOP profile": "planner/scaling/isoflop.py",
    "scaling law": "planner/scaling",
    "variable projection": "planner/scaling/parametric.py",
    "compute-optimal": "planner/scaling/laws.py",
    "bootstrap": "planner/scaling/bootstrap.py",
    "FLOPs": "planner/batch_cost.py",
    "middleware": "server/middleware",
    "authentication": "server/middleware",
    "CORS": "server/middleware",
    "continuous batching": "server/scheduler",
    "scheduler": "server/scheduler",
    "model registry": "server",
}
"""Where each word is looked for: in names and in the first lines of docstrings."""

NAMED = ("core", "data", "engine", "interop", "metrics", "pipeline")
"""Folders whose docstrings all name the thing before they explain it."""

QUESTION = re.compile(r"(What|Who|Whom|Whose|How|Where|Which|When|Why)\b")


def first_lines(path):
    """Yield the name and the first docstring line of a module and of all that it defines."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield getattr(node, "name", path.stem), (ast.get_docstring(node) or "").split("\n")[0]


def spoken(text):
    """Return a name or a line as words: `KVCache`, `kv_cache` and `KV cache` are the same."""
    return re.sub(r"[-_]|(?<=[a-zV])(?=[A-Z][a-z])", " ", text).lower()


@pytest.mark.parametrize(("word", "where"), WORDS.items())
def test_a_word_of_the_field_is_found_where_it_belongs(word, where):
    place = SRC / where
    files = [place] if place.is_file() else [*place.rglob("*.py")]
    said = {spoken(part) for path in files for line in first_lines(path) for part in line}
    assert any(spoken(word) in one for one in said)


@pytest.mark.parametrize("folder", NAMED)
def test_a_docstring_names_the_thing_before_it_explains_it(folder):
    asking = [
        f"{path.relative_to(SRC)}: {line}"
        for path in (SRC / folder).rglob("*.py")
        for _, line in first_lines(path)
        if QUESTION.match(line)
    ]
    assert not asking
