"""Captions on a hunt: what is said of an image, and verdicts that can fall every way."""

import numpy as np
import pytest

from dragoman.lab.experiment import Result
from dragoman.lab.experiments.captions.data import (
    IDLE,
    CaptionedShapes,
    captions_of,
    with_idle_words,
)
from dragoman.lab.experiments.captions.experiment import (
    KINDS,
    CaptionTrial,
    decide,
    draw,
    hunt,
    measure_trial,
    table,
)

NOISE = (0.0, 0.004, -0.005)


def make_results(least=0.05, most=0.6, idle=0.5, noise=1.0):
    shares = dict(zip(KINDS, (least, 0.3, most, idle), strict=True))
    return [
        {
            "name": "CLIP",
            "seed": seed,
            "parameters": 1000,
            "tested": 400,
            **{
                kind: {
                    "first": share + noise * NOISE[seed] * (1 + len(kind) / 9),
                    "median_rank": 2.0,
                    "words": 5.0,
                }
                for kind, share in shares.items()
            },
        }
        for seed in range(3)
    ]


@pytest.mark.parametrize(
    ("changed", "verdict"),
    [
        ({}, "confirmed"),
        ({"idle": 0.6}, "corrected"),  # descriptive is right, short does not matter
        ({"idle": 0.7}, "corrected"),
        ({"idle": 0.58, "noise": 5.0}, "undecided"),
        ({"least": 0.9}, "refuted"),
        ({"least": 0.6}, "undecided"),
    ],
)
def test_a_caption_should_be_descriptive_and_short(changed, verdict):
    assert decide(make_results(**changed)).verdict == verdict


def test_a_hunt_is_won_by_the_image_that_was_described():
    likeness = np.array([[0.9, 0.1, 0.2], [0.5, 0.4, 0.3], [0.1, 0.2, 0.3]], dtype=np.float32)
    assert hunt(likeness) == {"first": pytest.approx(2 / 3), "median_rank": 1.0}
    assert hunt(np.ones((4, 4), dtype=np.float32))["first"] == 0.0  # all alike is no find


@pytest.fixture(scope="module")
def drawn():
    return CaptionedShapes.draw(200, 12, 1)


def test_detail_and_idle_words_make_a_caption_longer(drawn):
    scenes = drawn.drawn.scenes[:20]
    by_kind = [captions_of(scenes, detail, idle=idle) for detail, idle in KINDS.values()]
    for shapes, colors, sizes, idle in zip(*by_kind, strict=True):
        assert len(shapes.split()) < len(colors.split()) < len(sizes.split())
        assert sizes in idle
        assert len(idle.split()) >= len(sizes.split()) + 14
    assert with_idle_words("a cat", 0) == f"{IDLE[0][0]} a cat {IDLE[0][1]}"


def test_every_word_is_known(drawn):
    for detail, idle in KINDS.values():
        said = captions_of(drawn.drawn.scenes[:50], detail, idle=idle)
        encoded = drawn.reader.tokenizer.encode_batch(said)
        assert 1 not in {number for ids in encoded for number in ids}
        assert max(map(len, encoded)) + 2 <= drawn.reader.longest


def test_a_batch_comes_again_and_short_captions_are_not_repeated(drawn):
    one, other = drawn.batch(3, 64, 1), drawn.batch(3, 64, 1)
    assert np.array_equal(one.tokens, other.tokens)
    assert len(set(one.examples.tolist())) == 64
    rows = [tuple(row.tolist()) for row in one.tokens]
    short = [row for row in rows if sum(number > 0 for number in row) <= 4]
    assert len(short) == len(set(short))


def test_unseen_images_are_others(drawn):
    assert not set(map(bytes, drawn.unseen(50, 1).images)) & set(map(bytes, drawn.drawn.images))


def test_a_few_steps_give_every_figure():
    found = measure_trial(CaptionTrial(seed=1, images=100, tested=30, size=12, rows=16, steps=2))
    assert all(0 <= found[kind]["first"] <= 1 for kind in KINDS)
    assert found["shapes"]["words"] < found["and sizes"]["words"]


def test_the_table_and_the_picture_show_every_kind(tmp_path):
    results = make_results()
    assert [line[0] for line in table(results).rows] == [*KINDS]
    draw(Result(results, [], []), tmp_path / "picture.png")
    assert (tmp_path / "picture.png").stat().st_size > 10_000
