"""A setting that is given as an option is answered with the key to write."""

import pytest

CASES = {
    ("train", "--steps", "5"): "training.steps=5",
    ("train", "--learning-rate", "1e-3"): "optimizer.learning_rate=1e-3",
    ("train", "--lr=1e-3"): "optimizer.learning_rate=1e-3",
    ("train", "--warmup-updates", "100"): "schedule.warmup_steps=100",
    ("train", "--max_steps", "7"): "training.steps=7",
    ("train", "--per_device_train_batch_size", "8"): "batches.max_tokens=8",
    ("train", "--gradient_checkpointing"): "training.gradient_checkpointing=VALUE",
    ("train", "--lora-alpha", "16"): "start.alpha=16",
    ("train", "--batch-size", "64"): (
        "images.batch_size=64, batches.max_tokens=64 or decoding.batch_tokens=64"
    ),
    ("show", "--enc-layers", "2"): "model.encoder_layers=2",
    ("compare", "--max-update", "9"): "training.steps=9",
    ("translate", "--lenpen", "1.2"): "--set length_penalty=1.2",
    ("serve", "--max-characters", "9"): "--set max_characters=9",
}


@pytest.mark.parametrize(("typed", "key"), CASES.items())
def test_a_setting_given_as_an_option_is_answered_with_its_key(dragoman, typed, key):
    verb, *options = typed
    code, out, err = dragoman(verb, "english-hindi", *options)
    assert (code, out) == (2, "")
    assert err == (
        f"dragoman: {options[0].partition('=')[0]}: is a setting, not an option. Write {key}\n"
    )


def test_an_option_that_no_setting_is_called_by_is_answered_as_ever(dragoman):
    code, _, err = dragoman("train", "english-hindi", "--banana", "5")
    assert code == 2
    assert "No such option: --banana" in err


def test_what_follows_two_dashes_is_no_setting(dragoman, tmp_path):
    _, _, err = dragoman("translate", tmp_path, "--", "--lenpen")
    assert "is a setting" not in err


@pytest.mark.parametrize("verb", ["train", "show"])
def test_a_corpus_in_place_of_a_recipe_is_answered_with_the_verb_that_makes_one(
    dragoman, tmp_path, verb
):
    for name, content in (("my.tsv", "a b\tb a\n"), ("big.tsv", "a\tb\n" * 20_000)):
        (tmp_path / name).write_text(content)
        code, out, err = dragoman(verb, tmp_path / name)
        assert (code, out) == (2, "")
        assert err == (
            f"dragoman: {tmp_path / name}: is not a recipe. If it is a corpus, write a recipe for "
            f"it: dragoman new {tmp_path / name}\n"
        )


def test_a_run_in_place_of_a_recipe_is_answered_with_the_command_that_goes_on(dragoman, tiny):
    code, _, err = dragoman("train", tiny.run)
    assert code == 2
    assert f"Go on with it by: dragoman train {tiny.run}/recipe.toml --output {tiny.run}" in err
