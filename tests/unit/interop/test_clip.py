"""CLIP checkpoints, written by transformers, give transformers' scores and loss here."""

import json

import numpy as np
import pytest
import torch
from tests.oracles import scramble
from transformers import CLIPConfig, CLIPModel, CLIPTokenizer

from dragoman.config.reading import read_recipe
from dragoman.core.errors import CheckpointError, ConfigError
from dragoman.data.batching.pixels import normalize
from dragoman.data.formats.image_files import read_image
from dragoman.data.tokenizer.imported_files import read_imported
from dragoman.engine.checkpoint.weights import load_weights
from dragoman.interop.exporting import export_huggingface
from dragoman.interop.families.catalogue import family_of
from dragoman.interop.foreign import read_settings
from dragoman.interop.importing import ImportOptions, import_huggingface
from dragoman.interop.network import network, take
from dragoman.interop.tensor_source import StoredFolder
from dragoman.neural.objectives.contrastive import contrastive
from dragoman.tasks.image_text.evaluate import images_to_test
from dragoman.tasks.image_text.matcher import Matcher

WORDS = 41
TEXT = {
    "vocab_size": WORDS,
    "hidden_size": 12,
    "intermediate_size": 20,
    "num_hidden_layers": 2,
    "num_attention_heads": 3,
    "max_position_embeddings": 11,
    "bos_token_id": WORDS - 2,
    "eos_token_id": WORDS - 1,
    "pad_token_id": WORDS - 1,
}
VISION = {
    "hidden_size": 16,
    "intermediate_size": 24,
    "num_hidden_layers": 3,
    "num_attention_heads": 2,
    "image_size": 12,
    "patch_size": 4,
}
CASES = {
    "plain": ({}, {}, 10),
    "one layer, wide projection": ({"num_hidden_layers": 1}, {"num_hidden_layers": 1}, 33),
    "exact GELU, odd middle": ({"hidden_act": "gelu", "intermediate_size": 7}, {}, 5),
    "one head, tanh GELU": ({"num_attention_heads": 1}, {"hidden_act": "gelu_new"}, 4),
    "patches of one pixel, grey": ({}, {"image_size": 3, "patch_size": 1, "num_channels": 1}, 10),
    "a coarse norm": ({"layer_norm_eps": 1e-3}, {"layer_norm_eps": 1e-2, "patch_size": 6}, 6),
    "an end of old": ({"eos_token_id": 2}, {}, 10),
}


def written(folder, text=None, vision=None, width=10):
    torch.manual_seed(7)
    config = CLIPConfig(
        text_config={**TEXT, **(text or {})},
        vision_config={**VISION, **(vision or {})},
        projection_dim=width,
    )
    theirs = scramble(CLIPModel(config)).eval()
    theirs.save_pretrained(folder)
    channels = config.vision_config.num_channels
    norming = {"image_mean": [0.4, 0.5, 0.6][:channels], "image_std": [0.2, 0.3, 0.1][:channels]}
    (folder / "preprocessor_config.json").write_text(json.dumps(norming))
    return theirs


def imported(folder):
    values, stored = read_settings(folder), StoredFolder(folder)
    plan = family_of(values, "test").plan(values, stored)
    tensors, account = take(plan, stored)
    ours = network(plan.settings, plan.vocab_size, plan.pixels)
    load_weights(ours, tensors, folder)
    ours.text.end = WORDS - 1
    return plan, account, ours.eval()


def pairs(config, count=5):
    drawn = torch.Generator().manual_seed(3)
    channels, size = config.vision_config.num_channels, config.vision_config.image_size
    images = torch.randn(count, channels, size, size, generator=drawn)
    tokens = torch.randint(3, WORDS - 2, (count, 9), generator=drawn)
    tokens[:, 0], tokens[:, -1], tokens[1, 5:] = WORDS - 2, WORDS - 1, WORDS - 1
    return images, tokens


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
@torch.no_grad()
def test_an_imported_clip_gives_their_scores_and_their_loss(case, tmp_path):
    theirs = written(tmp_path, *case)
    plan, account, ours = imported(tmp_path)
    images, tokens = pairs(theirs.config)
    wanted = theirs(input_ids=tokens, pixel_values=images, return_loss=True)
    found = ours(images, tokens)
    assert wanted.logits_per_image.std() > 0.05
    torch.testing.assert_close(found, wanted.logits_per_image, atol=2e-5, rtol=1e-5)
    torch.testing.assert_close(found.T, wanted.logits_per_text, atol=2e-5, rtol=1e-5)
    torch.testing.assert_close(ours.see(images), wanted.image_embeds, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(contrastive(found).nats / 5, wanted.loss, atol=2e-5, rtol=1e-5)
    assert not account.missing
    assert not account.unused
    count = sum(weight.numel() for weight in theirs.parameters())
    assert sum(weight.numel() for weight in ours.parameters()) == count
    assert plan.pixels.channels == theirs.config.vision_config.num_channels


def test_a_tensor_too_many_or_too_few_is_named(tmp_path):
    written(tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    config["text_config"]["num_hidden_layers"] = 1
    (tmp_path / "config.json").write_text(json.dumps(config))
    with pytest.raises(CheckpointError, match=r"16 unexpected: text_model\.encoder\.layers\.1\."):
        imported(tmp_path)


@pytest.mark.parametrize(
    ("where", "key", "value", "word"),
    [
        ("text_config", "hidden_act", "swish", "hidden_act = 'swish'"),
        ("vision_config", "patch_size", 5, "patches of 5 do not fill images of 12"),
        ("vision_config", "novel", 1, "novel = 1: unknown"),
    ],
)
def test_what_cannot_be_built_is_refused_by_name(where, key, value, word, tmp_path):
    written(tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    config[where][key] = value
    (tmp_path / "config.json").write_text(json.dumps(config))
    with pytest.raises(ConfigError, match=word):
        imported(tmp_path)


def test_keys_that_older_files_repeat_in_every_tower_change_nothing(tmp_path):
    written(tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    config["text_config"] |= {"num_beams": 1, "top_k": 50, "torchscript": False}
    config |= {"text_config_dict": {"hidden_size": 12}, "vision_config_dict": None}
    (tmp_path / "config.json").write_text(json.dumps(config))
    assert imported(tmp_path)[0].settings.text.width == 12


PIECES = [*"abcdehnrt", *(f"{letter}</w>" for letter in "abcdehnrt"), "he", "hea", "re", "red</w>"]
MERGES = ["h e", "he a", "r e", "re d</w>"]


def tokenizer():
    marks = ["<|startoftext|>", "<|endoftext|>"]
    filling = [f"<{n}>" for n in range(WORDS - len(PIECES) - len(marks))]
    vocabulary = {piece: n for n, piece in enumerate([*PIECES, *filling, *marks])}
    return CLIPTokenizer(vocab=vocabulary, merges=[tuple(line.split()) for line in MERGES])


@pytest.fixture
def checkpoint(tmp_path):
    folder = tmp_path / "theirs"
    folder.mkdir()
    theirs = written(folder)
    tokenizer().save_pretrained(folder)
    return folder, theirs


def pictures(folder):
    from PIL import Image

    drawn = np.random.default_rng(5)
    paths = [folder / f"{n}.png" for n in range(3)]
    for path in paths:
        Image.fromarray(drawn.integers(0, 256, (12, 12, 3), dtype=np.uint8)).save(path)
    return paths


@torch.no_grad()
def test_texts_and_pictures_are_matched_as_transformers_does(checkpoint, tmp_path):
    folder, theirs = checkpoint
    run = import_huggingface(folder, tmp_path / "run")
    assert read_recipe(run.recipe).task.kind == "image-text"
    matcher, paths = Matcher.load(run.path), pictures(tmp_path)
    captions = ["Red heart", "a  TEND bad", "bad"]
    read = tokenizer()(captions, padding=True, return_tensors="pt")
    assert torch.equal(torch.from_numpy(matcher.reader.rows(captions)[0]), read["input_ids"])
    shown = np.stack([read_image(path, size=12, channels=3) for path in paths])
    pixels = torch.from_numpy(normalize(shown, matcher.pixels))
    answer = theirs(pixel_values=pixels.contiguous(), input_ids=read["input_ids"])
    for place, ranked in enumerate(matcher.find_texts(paths, captions)):
        wanted = answer.logits_per_image[place].softmax(dim=0)
        found = {one.candidate: one.probability for one in ranked}
        assert [found[text] for text in captions] == pytest.approx(wanted.tolist(), abs=1e-4)
        assert [one.probability for one in ranked] == sorted(found.values(), reverse=True)


def test_the_command_matches_with_an_imported_network(checkpoint, tmp_path, dragoman):
    folder, _ = checkpoint
    assert dragoman("import", "huggingface", folder, "--to", tmp_path / "run")[0] == 0
    paths = pictures(tmp_path)
    code, out, _ = dragoman("match", tmp_path / "run", "--text", "red heart", *paths)
    assert code == 0
    assert sorted(line.split("\t")[1] for line in out.splitlines()) == sorted(map(str, paths))


def test_a_table_shows_it_pictures_as_it_was_shown_its_own(checkpoint, tmp_path):
    from PIL import Image

    folder, _ = checkpoint
    run = import_huggingface(folder, tmp_path / "run")
    for path in pictures(tmp_path):
        with Image.open(path) as image:
            image.resize((31, 14)).save(path)
    (tmp_path / "table.tsv").write_text("image\tcaption\n0.png\tred\n1.png\tbad\n2.png\ttea\n")
    (tested,) = images_to_test(run.path, [tmp_path / "table.tsv"]).values()
    matcher = Matcher.load(run.path)
    wanted = [matcher.open(tmp_path / one.image) for one in tested.said]
    assert np.array_equal(tested.images, wanted)


def test_it_is_not_exported_and_has_no_test_set(checkpoint, tmp_path, dragoman):
    folder, _ = checkpoint
    import_huggingface(folder, tmp_path / "run", ImportOptions())
    with pytest.raises(ConfigError, match="can be imported, but not exported"):
        export_huggingface(tmp_path / "run", tmp_path / "out")
    code, _, err = dragoman("evaluate", tmp_path / "run")
    assert code == 2
    assert "has no test set" in err


def test_the_older_files_of_its_tokenizer_give_the_same_numbers(checkpoint):
    folder, _ = checkpoint
    whole = read_imported(folder)
    record = json.loads((folder / "tokenizer.json").read_text())["model"]
    (folder / "tokenizer.json").unlink()
    (folder / "vocab.json").write_text(json.dumps(record["vocab"]))
    lines = "\n".join(["#version: 0.2", *MERGES])
    (folder / "merges.txt").write_text(lines + "\n")
    old = read_imported(folder)
    for text in ("Red heart", "HE'D  eat;; a hat", "ten 10 teas", "", "read-head"):
        assert old.encode(text) == whole.encode(text)
    assert (old.start, old.end, old.pad) == (whole.start, whole.end, whole.pad)
    assert old.start == WORDS - 2
