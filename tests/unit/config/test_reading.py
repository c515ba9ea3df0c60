import os
from pathlib import Path

import pytest

from dragoman.config.reading import differences, find_recipe, read_recipe, shipped_recipes
from dragoman.config.training import AdamW
from dragoman.core.errors import ConfigError

SMALL = 'name = "small"\n[corpus]\ntrain = "text.tsv"\n'


@pytest.fixture
def small(tmp_path):
    (tmp_path / "small.toml").write_text(SMALL, encoding="utf-8")
    return tmp_path / "small.toml"


def complaint(path, *changes):
    with pytest.raises(ConfigError) as refused:
        read_recipe(path, changes)
    return str(refused.value)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("model.widht=8", "small.toml: model.widht: unknown key. Did you mean 'width'?"),
        ("corpus.trian=a", "small.toml: corpus.trian: unknown key. Did you mean 'train'?"),
        ("sed=4", "small.toml: sed: unknown key. Did you mean 'seed'?"),
        ("modle.width=8", "small.toml: modle: unknown key. Did you mean 'model'?"),
        ("tokenizer.kind=bep", "tokenizer.kind: unknown kind 'bep'. Did you mean 'bpe'?"),
        ("model.d_model=8", "model.d_model: unknown key. Here it is called 'model.width'."),
        (
            "model.width=15",
            "width 15 does not split into 4 equal heads. Nearest width that does: 16",
        ),
        ("training.steps=many", "training.steps: Input should be a valid integer"),
        ("training.steps=0", "training.steps: Input should be greater than or equal to 1"),
        ("optimizer.learning_rate=nan", "optimizer.learning_rate: Input should be a finite number"),
        ("optimizer.betas=[0.9, 1.5]", "betas [0.9, 1.5] must each be"),
        (
            "optimizer.momentum=0.9",
            "optimizer.momentum: kind 'adamw' has no such key. "
            "Kinds that have it: nesterov, momentum.",
        ),
        (
            "schedule={kind = 'cosine', factor = 0.5}",
            "schedule.factor: kind 'cosine' has no such key. "
            "Kinds that have it: exponential, plateau.",
        ),
        (
            "schedule={kind = 'constant', min_ratio = 0.5}",
            "schedule.min_ratio: kind 'constant' has no",
        ),
        ("optimizer.kind=adagard", "unknown kind 'adagard'. Did you mean 'adagrad'?"),
        (
            "model={kind = 'recurrent', cell = 'grru'}",
            "model.cell.kind: unknown kind 'grru'. Did you mean 'gru'?",
        ),
        (
            "model={kind = 'recurrent', cell = {reset = 'before'}}",
            "model.cell.kind: is missing. Known: gru, gru-update, lstm, rnn.",
        ),
        (
            "model={kind = 'recurrent', cell = {kind = 'gru', forget_gate = false}}",
            "model.cell.forget_gate: kind 'gru' has no such key. Kinds that have it: lstm.",
        ),
        (
            "model={kind = 'recurrent', cell = {kind = 'gru', rest = 'after'}}",
            "model.cell.rest: unknown key. Did you mean 'reset'?",
        ),
        ("corpus.train=[]", "train names 0 files"),
        ("corpus=3", "corpus"),
        ("name=../away", "name: String should match pattern"),
        ("seed=2020-01-01", "seed: "),
        ("seed.x=1", "seed"),
    ],
)
def test_a_mistake_is_told_with_its_key_and_a_way_out(small, change, words):
    assert words in complaint(small, change)


def test_all_mistakes_are_told_at_once(tmp_path):
    path = tmp_path / "wrong.toml"
    path.write_text("sed = 1\n[corpus]\npears = 3\n[model]\nwidht = 8\nheads = 0\n")
    lines = complaint(path).splitlines()
    assert all(line.startswith(f"{tmp_path / 'wrong.toml'}: ") for line in lines)
    told = "\n".join(lines)
    for key in ("name", "sed", "corpus.train", "corpus.pears", "model.widht", "model.heads"):
        assert f"wrong.toml: {key}: " in told


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"name = ", "is not valid TOML"),
        (b"name = 'a'\nname = 'b'", "is not valid TOML"),
        (b"name = '\xff'", "is not UTF-8 text (byte 8)"),
        (b"a = " + b"[" * 60_000, "is not valid TOML"),
        (b"seed = " + b"9" * 5000, "is not valid TOML"),
        (b"a" + b".a" * 3_000 + b" = 1", "wrong.toml"),
        (b"#" * 100_000, "is larger than 65,536 bytes, and so no recipe"),
        (b"", "wrong.toml: name: is missing and has no default."),
    ],
    ids=range(8),
)
def test_a_file_that_is_no_recipe_is_told_with_its_name(tmp_path, content, words):
    (tmp_path / "wrong.toml").write_bytes(content)
    told = complaint(tmp_path / "wrong.toml")
    assert words in told
    assert "wrong.toml" in told


def test_a_byte_order_mark_is_no_mistake(small):
    small.write_bytes(b"\xef\xbb\xbf" + SMALL.encode())
    assert read_recipe(small).name == "small"


def test_a_missing_file_and_a_folder_are_told(tmp_path):
    with pytest.raises(ConfigError, match="there is no such recipe file"):
        read_recipe(tmp_path / "none.toml")
    with pytest.raises(ConfigError, match="is a folder"):
        read_recipe(tmp_path)
    with pytest.raises(ConfigError, match="there is no such recipe file"):
        find_recipe(str(tmp_path / "none.toml"))


@pytest.mark.parametrize("name", ["english-hind", "englsh-hindi"])
def test_an_unknown_recipe_name_is_given_the_nearest_shipped_one(name):
    with pytest.raises(ConfigError, match="Did you mean 'english-hindi'"):
        find_recipe(name)


@pytest.mark.parametrize("name", shipped_recipes())
def test_every_shipped_recipe_can_be_read_and_bears_its_file_s_name(name):
    assert read_recipe(find_recipe(name)).name == name


def test_a_change_may_have_any_type(small):
    recipe = read_recipe(
        small,
        [
            "name=other",
            "seed=12",
            "optimizer.learning_rate=3e-4",
            "optimizer.betas=[0.8, 0.9]",
            "corpus.repair=false",
            "corpus.source_language=en",
            'corpus.target_language="true"',
            "tokenizer.kind=characters",
            " model.norm = post ",
            "model.decoder_heads=2",
        ],
    )
    assert (recipe.name, recipe.seed) == ("other", 12)
    assert recipe.optimizer == AdamW(learning_rate=3e-4, betas=(0.8, 0.9))
    assert recipe.corpus.repair is False
    assert (recipe.corpus.source_language, recipe.corpus.target_language) == ("en", "true")
    assert recipe.tokenizer.kind == "characters"
    assert (recipe.model.norm, recipe.model.decoder_heads) == ("post", 2)


def test_the_last_of_several_changes_holds(small):
    assert read_recipe(small, ["seed=1", "seed=2"]).seed == 2


@pytest.mark.parametrize("change", ["seed", "=3", "", " =3"])
def test_what_is_no_change_is_told(small, change):
    assert "Write it as section.key=value." in complaint(small, change)


def test_paths_are_relative_to_the_recipe_and_in_changes_to_the_present_folder(
    small, tmp_path, monkeypatch
):
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert read_recipe(small).corpus.train == (tmp_path / "text.tsv",)
    relative = Path(os.path.relpath(small))
    assert read_recipe(relative).corpus.train[0].resolve() == (tmp_path / "text.tsv").resolve()
    assert read_recipe(relative).corpus.train[0].is_absolute()
    changed = read_recipe(small, ["corpus.valid=v.tsv", "corpus.test=['a', '/b']"]).corpus
    assert changed.train == (tmp_path / "text.tsv",)
    assert changed.valid == (tmp_path / "elsewhere/v.tsv",)
    assert changed.test == (tmp_path / "elsewhere/a", Path("/b"))


def test_differences_name_each_key_with_both_values(small):
    one = read_recipe(small)
    other = read_recipe(small, ["model.width=64", "tokenizer.kind=words"])
    found = differences(one, other)
    assert found["model.width"] == (256, 64)
    assert found["tokenizer.kind"] == ("bpe", "words")
    assert differences(one, one) == {}
