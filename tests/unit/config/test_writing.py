import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.config.batches import BatchSettings
from dragoman.config.corpus import FilesCorpus, GrammarCorpus
from dragoman.config.model import TransformerSettings
from dragoman.config.optimizer import AdamW, Nesterov
from dragoman.config.reading import read_recipe, recipe_from_tree, shipped_recipes
from dragoman.config.recipe import MadeWith, Recipe
from dragoman.config.schedule import InverseSqrt, Linear, Plateau
from dragoman.config.tokenizer import (
    BpeTokenizerSettings,
    CharacterTokenizerSettings,
    WordPieceTokenizerSettings,
    WordTokenizerSettings,
)
from dragoman.config.training import DecodingSettings, ObjectiveSettings, TrainingSettings
from dragoman.config.writing import recipe_to_toml

SHARES = st.floats(0.0, 0.99)
COUNTS = st.integers(1, 10**9)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
NAMES = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,20}", fullmatch=True)
PATHS = TEXTS.filter(lambda text: "\x00" not in text).map(lambda text: Path("/data") / f"x{text}")
FILES = st.lists(PATHS, min_size=1, max_size=2).map(tuple)

RECIPES = st.builds(
    Recipe,
    name=NAMES,
    seed=st.integers(0, 2**32 - 1),
    corpus=st.builds(
        FilesCorpus,
        kind=st.just("files"),
        train=FILES,
        valid=st.none() | FILES,
        test=st.none() | FILES,
        held_out=COUNTS,
        source_language=TEXTS,
        target_language=TEXTS,
        max_characters=COUNTS,
        repair=st.booleans(),
    )
    | st.builds(GrammarCorpus, kind=st.just("grammar"), pairs=COUNTS, difficulty=st.integers(1, 5)),
    tokenizer=st.builds(
        BpeTokenizerSettings, kind=st.just("bpe"), shared=st.booleans(), dropout=SHARES
    )
    | st.builds(
        WordTokenizerSettings, kind=st.just("words"), vocab_size=st.integers(300, 1_000_000)
    )
    | st.just(WordPieceTokenizerSettings())
    | st.just(CharacterTokenizerSettings()),
    batches=st.builds(
        BatchSettings, max_tokens=COUNTS, max_length=st.integers(2, 10**6), window=COUNTS
    ),
    model=st.builds(
        TransformerSettings,
        kind=st.just("transformer"),
        width=st.sampled_from([16, 64]),
        heads=st.sampled_from([1, 2, 8]),
        decoder_heads=st.none() | st.just(4),
        dropout=SHARES,
    ),
    objective=st.builds(ObjectiveSettings, label_smoothing=SHARES),
    optimizer=st.builds(
        AdamW,
        kind=st.just("adamw"),
        learning_rate=st.floats(1e-300, 1e300),
        betas=st.tuples(SHARES, SHARES),
        epsilon=st.floats(1e-30, 1.0),
        weight_decay=st.floats(0.0, 1e300),
    )
    | st.builds(Nesterov, momentum=st.floats(0.01, 0.99)),
    schedule=st.builds(
        InverseSqrt, warmup_steps=st.integers(0, 10**9), min_ratio=st.floats(0.0, 1.0)
    )
    | st.builds(Plateau, factor=st.floats(0.01, 1.0), patience=COUNTS)
    | st.builds(Linear, decay_steps=COUNTS),
    training=st.builds(
        TrainingSettings,
        steps=COUNTS,
        ema_decay=SHARES,
        gradient_checkpointing=st.booleans(),
        keep=COUNTS,
    ),
    decoding=st.builds(DecodingSettings, beam=st.integers(1, 100)),
    made_with=st.none()
    | st.builds(
        MadeWith,
        dragoman=TEXTS,
        python=TEXTS,
        torch=TEXTS,
        tokenizers=TEXTS,
        platform=TEXTS,
        threads=COUNTS,
        commit=TEXTS,
    ),
)


@given(RECIPES, st.booleans())
def test_a_written_recipe_reads_back_to_the_same_recipe(recipe, explained):
    written = recipe_to_toml(recipe, explained=explained)
    assert recipe_from_tree(tomllib.loads(written), "recipe.toml") == recipe


@pytest.mark.parametrize("name", shipped_recipes())
def test_every_shipped_recipe_reads_back(name, tmp_path):
    recipe = read_recipe(shipped_recipes()[name])
    (tmp_path / "again.toml").write_text(recipe_to_toml(recipe, explained=True), encoding="utf-8")
    assert read_recipe(tmp_path / "again.toml") == recipe


def test_every_key_is_written_with_its_meaning_above_it():
    written = recipe_to_toml(read_recipe(shipped_recipes()["english-hindi"]), explained=True)
    assert "# Size of every hidden state (d).\nwidth = " in written
