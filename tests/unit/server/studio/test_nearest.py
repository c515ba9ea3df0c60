"""Pictures, captions and classes, asked of a real server."""

import base64
import io
import shutil
import zlib
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
import pytest
from PIL import Image

from dragoman.data.batching.caption_sets import load_caption_sets
from dragoman.tasks.image_classification.classifier import ImageClassifier
from dragoman.tasks.image_text.matcher import Matcher
from dragoman.tasks.text_classification.classifier import Classifier

API = "/studio/api"


def saved(image, kind="PNG"):
    stream = io.BytesIO()
    image.save(stream, kind)
    return stream.getvalue()


RED = saved(Image.new("RGB", (20, 30), (230, 20, 20)))


def bomb():
    """Return a small file that claims to be an enormous picture."""
    head = b"\x00\x01\x86\xa0\x00\x01\x86\xa0\x08\x02\x00\x00\x00"  # 100,000 × 100,000
    chunk = b"IHDR" + head
    sized = len(head).to_bytes(4, "big") + chunk + zlib.crc32(chunk).to_bytes(4, "big")
    return b"\x89PNG\r\n\x1a\n" + sized + RED[33:]


BAD = {
    "no picture": b"hello",
    "nothing": b"",
    "a bomb": bomb(),
    "half a picture": RED[:50],
    "a script": b"%!PS-Adobe-3.0 EPSF-3.0\n",
}


def test_captions_find_the_pictures_that_the_network_finds(studio, runs):
    asked = {"run": "clip", "text": "red square", "count": 24}
    answer = studio.post(f"{API}/nearest-images", asked)
    assert answer.status == 200
    matches = answer.json["matches"]
    sets = load_caption_sets(runs / "clip" / "data")
    images = np.concatenate([s.store.images for s in (sets.test, sets.valid, sets.train)])
    names = [c[0].name for s in (sets.test, sets.valid, sets.train) for c in s.captions]
    matcher = Matcher.load(runs / "clip", device="cpu")
    wanted = matcher.rank(matcher.read(["red square"])[0], matcher.see(images), names)[:24]
    assert len(matches) == 24
    assert [m["likeness"] for m in matches] == pytest.approx([w.likeness for w in wanted], abs=1e-5)
    assert [m["probability"] for m in matches] == pytest.approx(
        [w.probability for w in wanted], abs=1e-5
    )
    for match in matches[:3]:
        number = int(match["image"].rpartition("/")[2].removesuffix(".png"))
        assert match["caption"] == names[number]
        shown = studio.get(match["image"])
        assert (shown.status, shown.headers["content-type"]) == (200, "image/png")
        with Image.open(io.BytesIO(shown.body)) as opened:
            assert np.array_equal(np.asarray(opened), images[number])


def test_vectors_are_computed_once(studio):
    first = studio.post(f"{API}/nearest-images", {"run": "clip", "text": "blue top"}).json
    again = studio.post(f"{API}/nearest-images", {"run": "clip", "text": "blue top"}).json
    assert first == again
    gallery = studio.app.state.galleries._open["clip"]
    assert gallery.image_vectors.missing() == []
    assert gallery.images == 36


def test_many_that_ask_first_get_the_same(open_studio, runs):
    studio = open_studio(runs / "clip")
    asked = {"run": "clip", "text": "pink cross", "count": 5}

    def ask_at_once(_):
        return studio.post(f"{API}/nearest-images", asked)

    with ThreadPoolExecutor(8) as pool:
        answers = [*pool.map(ask_at_once, range(16))]
    assert {one.status for one in answers} == {200}
    first, *others = [one.json["matches"] for one in answers]
    for other in others:
        assert [one["image"] for one in other] == [one["image"] for one in first]
        assert [one["likeness"] for one in other] == pytest.approx(
            [one["likeness"] for one in first], abs=1e-5
        )


def test_a_picture_finds_captions(studio):
    answer = studio.upload(f"{API}/nearest-captions", RED, run="clip")
    assert answer.status == 200
    matches = answer.json["matches"]
    likeness = [match["likeness"] for match in matches]
    assert all(one >= other for one, other in pairwise(likeness))
    assert len({match["caption"] for match in matches}) == len(matches) == 24
    assert 0 < sum(match["probability"] for match in matches) <= 1 + 1e-6


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize(
    ("path", "run"), [("nearest-captions", "clip"), ("classify-image", "shapes")]
)
def test_what_is_no_picture_is_refused_in_plain_words(studio, path, run, bad):
    answer = studio.upload(f"{API}/{path}", BAD[bad], run=run)
    assert answer.status == 400, answer.body
    assert "the image" in answer.json["error"]
    assert "0x" not in answer.json["error"]


@pytest.mark.parametrize(
    "place",
    ["clip/999999.png", "clip/-1.png", "clip/1", "clip/x.png", f"clip/{'9' * 5000}.png"]
    + ["tiny/1.png", "nobody/1.png", "..%2Fclip/1.png", "clip/..%2F1.png", "clip/%C2%B2.png"],
)
def test_pictures_that_are_not_there_are_not_there(studio, place):
    answer = studio.get(f"{API}/pictures/{place}")
    assert answer.status == 404
    assert answer.json["error"]


@pytest.mark.parametrize(
    "said",
    [
        {"run": "clip", "text": "x", "count": 25},
        {"run": "clip", "text": "x", "count": 0},
        {"run": "clip", "text": "x", "count": 10**40},
        b'{"run": "clip", "text": "x", "count": NaN}',
        b'{"run": "clip", "text": "x", "count": 1e999}',
        {"run": "clip"},
        {"run": "clip", "text": "x" * 20_000},
        {"run": "tiny", "text": "x"},
        {"run": "../clip", "text": "x"},
        [],
    ],
)
def test_what_cannot_be_looked_for_is_refused(studio, said):
    answer = studio.post(f"{API}/nearest-images", said)
    assert answer.status in (400, 404, 422)
    assert isinstance(answer.json["error"], str)


def test_an_empty_caption_finds_nothing_and_says_why(studio):
    answer = studio.post(f"{API}/nearest-images", {"run": "clip", "text": " \n"})
    assert (answer.status, answer.json["matches"]) == (200, [])
    assert answer.json["why"]


def test_a_run_without_its_pictures_has_an_empty_gallery(open_studio, runs, tmp_path):
    bare = shutil.copytree(runs / "clip", tmp_path / "bare")
    shutil.rmtree(bare / "data")
    studio = open_studio(bare)
    found = studio.post(f"{API}/nearest-images", {"run": "bare", "text": "red"})
    assert (found.status, found.json["matches"]) == (200, [])
    assert "no images of its own" in found.json["why"]
    assert studio.upload(f"{API}/nearest-captions", RED, run="bare").json["matches"] == []


def test_a_text_and_a_picture_get_their_classes(studio, runs):
    text = studio.post(f"{API}/classify-text", {"run": "sorter", "text": "sun cat moon"}).json
    (wanted,) = Classifier.load(runs / "sorter", device="cpu").classify(["sun cat moon"])
    assert text["label"] == wanted.label
    assert text["probabilities"] == pytest.approx(wanted.probabilities, abs=1e-6)
    content = saved(Image.new("RGB", (12, 12), (9, 9, 9)))
    shown = studio.upload(f"{API}/classify-image", content, run="shapes").json
    classifier = ImageClassifier.load(runs / "shapes", device="cpu")
    channels = classifier.pixels.channels
    (wanted,) = classifier.classify(np.full((1, 12, 12, channels), 9, dtype=np.uint8))
    assert shown["label"] == wanted.label
    assert shown["probabilities"] == pytest.approx(wanted.probabilities, abs=1e-6)


def test_programs_classify_many_at_once(studio, runs):
    texts = ["sun cat", "bread", "", "saw " * 50]
    answer = studio.post("/classify", {"texts": texts})
    assert answer.status == 200
    wanted = Classifier.load(runs / "sorter", device="cpu").classify(texts)
    assert answer.json["model"] == "sorter"
    assert [one["label"] for one in answer.json["results"]] == [one.label for one in wanted]
    image = base64.b64encode(RED).decode()
    pictures = studio.post("/classify", {"model": "shapes", "images": [image, image]}).json
    assert len(pictures["results"]) == 2
    assert pictures["results"][0] == pictures["results"][1]


def test_programs_match_texts_and_pictures(studio, runs):
    texts = ["red square", "blue top", "pink cross"]
    others = [saved(Image.new("RGB", (8, 8), color)) for color in ("red", "blue")]
    images = [base64.b64encode(one).decode() for one in others]
    answer = studio.post("/match", {"model": "clip", "texts": texts, "images": images, "top": 2})
    assert answer.status == 200
    told = answer.json
    assert [len(one) for one in told["texts"]] == [2, 2, 2]
    assert [len(one) for one in told["images"]] == [2, 2]
    matcher = Matcher.load(runs / "clip", device="cpu")
    seen = matcher.see(
        np.stack([np.full((8, 8, 3), c, np.uint8) for c in ((255, 0, 0), (0, 0, 255))])
    )
    likeness = (matcher.read(texts) @ seen.T).tolist()
    for text, matches in enumerate(told["texts"]):
        for match in matches:
            assert match["likeness"] == pytest.approx(likeness[text][match["image"]], abs=1e-5)
        assert sum(match["probability"] for match in matches) == pytest.approx(1)
    assert told["images"][0][0]["text"] == int(np.argmax([row[0] for row in likeness]))


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/classify", {}),
        ("/classify", {"texts": ["a"], "images": ["a"]}),
        ("/classify", {"model": "clip", "texts": ["a"]}),
        ("/classify", {"model": "../sorter", "texts": ["a"]}),
        ("/classify", {"texts": ["a"] * 65}),
        ("/classify", {"texts": ["a" * 6000, "b" * 6000]}),
        ("/classify", {"texts": "a"}),
        ("/classify", {"texts": [None]}),
        ("/classify", {"images": ["not base64!"]}),
        ("/classify", {"images": ["AAAA"] * 17}),
        ("/classify", {"images": [base64.b64encode(bomb()).decode()]}),
        ("/classify", {"images": [""]}),
        ("/match", {"texts": ["a"], "images": []}),
        ("/match", {"texts": [], "images": []}),
        ("/match", {"texts": ["a"], "images": ["aGk="]}),
        ("/match", b'{"texts": ["a"], "images": ["aGk="], "top": NaN}'),
        ("/match", {"texts": ["a"], "images": ["aGk="], "top": 10**30}),
    ],
)
def test_programs_that_ask_wrongly_are_told(studio, path, said):
    answer = studio.post(path, said)
    assert answer.status in (400, 404, 422), answer.body
    assert isinstance(answer.json["error"], str)
