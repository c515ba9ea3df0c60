import numpy as np
import pytest

from dragoman.config.images import ImageSettings
from dragoman.config.task import ImageTextTaskSettings
from dragoman.data.batching.captions import CaptionReader, CaptionStream, draw_caption, name_batches
from dragoman.data.batching.endless import Position
from dragoman.data.batching.image_store import ImageStore
from dragoman.data.batching.stretching import between, stretch
from dragoman.data.formats.captioned import Caption
from dragoman.data.tokenizer.words import WordTokenizer

WORDS = ["red", "heart", "love", "dog"]


def vocabulary():
    return WordTokenizer(WORDS)


def images(count=10, side=6):
    drawn = np.random.default_rng(1)
    pixels = drawn.integers(0, 256, (count, side, side, 3), dtype=np.uint8)
    return ImageStore(pixels, np.arange(count))


def captions(count=10):
    return [
        (
            Caption(f"name {n}", ("love", "zoo", f"own {n}"), "en"),
            Caption(f"naam {n}", (), "hi"),
        )
        for n in range(count)
    ]


class Letters:
    """A reader that keeps the texts it is given, as numbers that come back."""

    def __init__(self):
        self.texts = []

    def rows(self, texts):
        self.texts.append(list(texts))
        codes = [[ord(sign) for sign in text] for text in texts]
        longest = max(map(len, codes))
        rows = np.array([row + [0] * (longest - len(row)) for row in codes])
        return rows, np.array([len(row) for row in codes])


def text_of(row):
    return "".join(chr(code) for code in row if code)


def stream(together=4, count=10, seed=3, task=None, said=None, **more):
    return CaptionStream(
        images(count),
        said or captions(count),
        Letters(),
        task or ImageTextTaskSettings(),
        ImageSettings(batch_size=together, **more),
        seed,
    )


def batches(of, count, position=None):
    running = of.at(position or Position())
    found = [next(running) for _ in range(count)]
    running.close()
    return found


def test_an_epoch_has_every_image_once_and_a_batch_none_twice():
    one = stream()
    found = [batch for batch, _ in batches(one, 3)]
    assert sorted(np.concatenate([b.examples for b in found]).tolist()) == list(range(10))
    assert [len(b.examples) for b in found] == [4, 3, 3]
    for batch in found:
        for row, example in zip(batch.tokens, batch.examples, strict=True):
            assert any(word in text_of(row) for word in (str(example), "love", "zoo"))


@pytest.mark.parametrize(("count", "together"), [(3, 2), (5, 4), (2, 256), (9, 2)])
def test_no_batch_has_one_image_only(count, together):
    sizes = [len(part) for part in stream(together, count).plan(0)]
    assert min(sizes) >= 2
    assert sum(sizes) == count


def test_the_stream_can_begin_anywhere_and_is_then_the_same():
    whole = batches(stream(shift=1, task=ImageTextTaskSettings(scale_jitter=0.2)), 9)
    again = batches(stream(shift=1, task=ImageTextTaskSettings(scale_jitter=0.2)), 4, whole[4][1])
    for (one, place), (other, at) in zip(whole[5:], again, strict=True):
        assert place == at
        for part in ("images", "tokens", "examples", "lengths"):
            assert np.array_equal(getattr(one, part), getattr(other, part))


def test_each_epoch_says_something_else_and_each_seed_too():
    def said(**more):
        found = batches(stream(together=10, **more), 3)
        return [dict(zip(b.examples, map(text_of, b.tokens), strict=True)) for b, _ in found]

    first, second, _ = said()
    assert first != second
    assert first != said(seed=4)[0]
    assert said() == said()


def test_images_of_a_batch_that_would_say_the_same_say_their_names():
    said = [(Caption(f"flag {n}", ("flag",), "en"),) for n in range(8)]
    task = ImageTextTaskSettings(name=0, both=0)
    (batch, _), *_ = batches(stream(8, 8, task=task, said=said), 1)
    texts = [text_of(row) for row in batch.tokens]
    assert texts.count("flag") == 1
    assert len(set(texts)) == 8


def drawn(task, count=300):
    one = Caption("name", ("a", "b", "c"), "en")
    return [draw_caption([one], task, np.random.default_rng(n))[0] for n in range(count)]


def test_a_caption_is_the_name_some_keywords_or_both():
    assert set(drawn(ImageTextTaskSettings(keywords=0, both=0))) == {"name"}
    alone = set(drawn(ImageTextTaskSettings(name=0, both=0, max_keywords=2)))
    assert alone == {"a", "b", "c", *(f"{x}, {y}" for x in "abc" for y in "abc" if x != y)}
    both = set(drawn(ImageTextTaskSettings(name=0, keywords=0, max_keywords=1)))
    assert both == {"name, a", "name, b", "name, c"}


def test_the_weights_say_how_often():
    found = drawn(ImageTextTaskSettings(name=2, keywords=1, both=1), 2000)
    assert found.count("name") / 2000 == pytest.approx(0.5, abs=0.05)


def test_a_caption_without_keywords_is_its_name():
    task = ImageTextTaskSettings(name=0)
    assert draw_caption([Caption("name")], task, np.random.default_rng(1)) == ("name", "name")


def test_a_task_without_captions_is_refused():
    with pytest.raises(ValueError, match="no caption"):
        ImageTextTaskSettings(name=0, keywords=0, both=0)


def test_rows_begin_and_end_with_marks_and_are_cut_before_the_end():
    reader = CaptionReader(vocabulary(), 4)
    tokens, lengths = reader.rows(["red heart love dog", "dog"])
    assert tokens[0, [0, -1]].tolist() == [2, 3]
    assert tokens[1].tolist()[2:] == [3, 0]
    assert lengths.tolist() == [4, 3]


def test_validation_batches_show_the_images_as_they_are():
    store = images()
    found = name_batches(store, [f"n{n}" for n in range(10)], Letters(), 4)
    assert [len(batch.examples) for batch in found] == [4, 3, 3]
    assert np.array_equal(np.concatenate([batch.images for batch in found]), store.images)


def test_a_stretched_line_is_read_between_its_pixels():
    line = np.arange(5.0)
    wider, same, narrower = between(5, np.array([2.0, 1.0, 0.5])) @ line
    assert wider.tolist() == [1, 1.5, 2, 2.5, 3]
    assert same.tolist() == line.tolist()
    assert narrower.tolist() == [0, 0, 2, 4, 4]


def test_stretching_keeps_middle_ground_and_direction():
    store = images(6, 7).images
    found = stretch(store, 0.3, np.random.default_rng(1))
    assert found.shape == store.shape
    assert found.dtype == np.uint8
    assert np.array_equal(found[:, 3, 3], store[:, 3, 3])
    assert not np.array_equal(found, store)
    assert stretch(store, 0.0, np.random.default_rng(1)) is store
    plain = np.full((2, 7, 7, 3), 200, dtype=np.uint8)
    assert np.array_equal(stretch(plain, 0.3, np.random.default_rng(1)), plain)


def test_what_moves_away_leaves_the_color_of_the_corners():
    white = np.full((2, 6, 6, 3), 255, dtype=np.uint8)
    white[:, 2:4, 2:4] = 0
    one = CaptionStream(
        ImageStore(white, np.arange(2)),
        captions(2),
        Letters(),
        ImageTextTaskSettings(),
        ImageSettings(batch_size=2, shift=2),
        1,
    )
    (batch, _), *_ = batches(one, 1)
    assert [int((image == 0).sum()) for image in batch.images] == [12, 12]
    assert one.ground.tolist() == [255, 255, 255]
