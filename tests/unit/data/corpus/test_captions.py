import numpy as np
import pytest
from PIL import Image

from dragoman.config.captions import CaptionCorpus, EmojiCorpus
from dragoman.core.errors import DataError
from dragoman.data.corpus.captions import open_captions, tied
from dragoman.data.corpus.held_out_captions import ImageCaptions, load_captions, save_captions
from dragoman.data.formats.captioned import Caption


@pytest.fixture
def corpus(tmp_path):
    """Give a function that draws images, writes a table of them and opens it."""

    def draw(name, seed=None):
        drawn = np.random.default_rng(abs(hash(name)) % 1000 if seed is None else seed)
        image = drawn.integers(0, 256, (5, 5, 3), dtype=np.uint8)
        Image.fromarray(image).save(tmp_path / f"{name}.png")

    def write(table, rows):
        head = "image\tcaption\tkeywords\tlanguage\tgroup\n"
        text = "".join("\t".join(row) + "\n" for row in rows)
        (tmp_path / table).write_text(head + text, encoding="utf-8")
        return tmp_path / table

    def make(rows, seed=1, **more):
        for number, name in enumerate(dict.fromkeys(row[0] for row in rows)):
            if not (tmp_path / name).exists():
                draw(name.removesuffix(".png"), number)
        train = (write("train.tsv", rows),)
        return open_captions(CaptionCorpus(train=train, size=5, **more), seed)

    make.draw, make.write = draw, write
    return make


def rows(count, group=lambda n: ""):
    return [(f"{n}.png", f"name {n}", "a|b", "en", group(n)) for n in range(count)]


def where(opened):
    return {one.path.name: name for name, images in opened.sets.items() for one in images}


def test_every_image_is_in_one_set_and_a_share_is_held_out(corpus):
    opened = corpus(rows(40), held_out=0.2)
    assert {name: len(images) for name, images in opened.sets.items()} == {
        "train": 24,
        "valid": 8,
        "test": 8,
    }
    assert len(where(opened)) == 40


def test_the_split_depends_on_the_seed_and_not_on_the_order(corpus):
    found = where(corpus(rows(40), held_out=0.2))
    assert where(corpus(rows(40)[::-1], held_out=0.2)) == found
    assert where(corpus(rows(40), seed=2, held_out=0.2)) != found


def test_variants_of_a_group_stay_together(corpus):
    found = where(corpus(rows(60, lambda n: f"group {n // 3}"), held_out=0.2))
    for group in range(20):
        assert len({found[f"{3 * group + n}.png"] for n in range(3)}) == 1


def test_images_of_the_same_name_stay_together_language_by_language(corpus):
    said = rows(30)
    said += [(f"{n}.png", f"नाम {n // 2}", "", "hi", "") for n in range(30)]
    found = where(corpus(said, held_out=0.2))
    for pair in range(15):
        assert found[f"{2 * pair}.png"] == found[f"{2 * pair + 1}.png"]
    same_word = [("0.png", "gift", "", "en", ""), ("1.png", "gift", "", "de", "")]
    opened = corpus([*same_word, *rows(12)[2:]], held_out=0.2)
    everything = [one for images in opened.sets.values() for one in images]
    assert all(len(bundle) == 1 for bundle in tied(everything))


def test_equal_files_are_one_image_with_all_captions(corpus, tmp_path):
    corpus.draw("copy", seed=0)  # the pixels of the first image
    opened = corpus([*rows(12), ("copy.png", "another name", "", "en", "")], held_out=0.2)
    everything = [one for images in opened.sets.values() for one in images]
    assert len(everything) == 12
    (first,) = [one for one in everything if one.path.name == "0.png"]
    assert [caption.name for caption in first.captions] == ["name 0", "another name"]


def test_what_is_like_a_given_test_set_is_not_trained_on(corpus):
    corpus.draw("tested", seed=77)
    corpus.draw("other", seed=78)
    told = [("tested.png", "name 3", "", "en", ""), ("other.png", "new", "", "en", "g")]
    test = (corpus.write("test.tsv", told),)
    opened = corpus(rows(30, lambda n: "g" if n == 5 else ""), held_out=0.1, test=test)
    found = where(opened)
    assert "3.png" not in found
    assert "5.png" not in found
    assert len(opened.sets["test"]) == 2
    assert any("2 images dropped from train: like others of test" in f for f in opened.findings)


def test_images_that_cannot_be_decoded_are_left_out_or_refused(corpus, tmp_path):
    (tmp_path / "broken.png").write_bytes(b"no picture")
    said = [*rows(12), ("broken.png", "broken", "", "en", "")]
    opened = corpus(said, held_out=0.2)
    (name,) = [name for name, images in opened.sets.items() if "broken.png" in str(images)]
    read = [one.path.name for _, one in opened.read(name)]
    assert "broken.png" not in read
    assert len(read) == len(opened.sets[name]) - 1
    assert "1 images are left out" in opened.findings[-1]
    strict = corpus(said, held_out=0.2, repair=False)
    with pytest.raises(DataError, match="broken.png"):
        list(strict.read(name))


def test_a_missing_image_is_told_with_its_line(corpus, tmp_path):
    table = corpus.write("t.tsv", [("nowhere.png", "name", "", "en", "")])
    with pytest.raises(DataError, match=r"t.tsv:2: the image .*nowhere.png cannot be read"):
        open_captions(CaptionCorpus(train=(table,)), 1)


def test_too_few_images_are_refused(corpus):
    with pytest.raises(DataError, match="leaves 0 images for the valid set"):
        corpus(rows(3))


def test_emoji_that_were_not_fetched_are_told_how(monkeypatch, tmp_path):
    monkeypatch.setenv("DRAGOMAN_CACHE", str(tmp_path))
    with pytest.raises(DataError, match="dragoman data get emoji"):
        open_captions(EmojiCorpus(), 1)


def test_captions_come_back_as_they_were_stored(corpus, tmp_path):
    opened = corpus(rows(12), held_out=0.2)
    captions = (Caption("नाम\u2028x", ("a", "b"), "hi"), Caption("plain"))
    sets = {name: [ImageCaptions("1.png", captions)] * 2 for name in ("train", "valid", "test")}
    save_captions(opened, sets, "{}", tmp_path)
    assert load_captions(tmp_path).sets == sets
    (tmp_path / "valid.captions.jsonl").write_text("")
    with pytest.raises(DataError, match="has 0 lines, where split.json speaks of 2"):
        load_captions(tmp_path)
