import json

import pytest

from dragoman.core.errors import DataError
from dragoman.data.corpus.catalogue.emoji import group_of, read_emoji

RUNNER = "1F3C3-200D-2640-FE0F"
LISTED = [
    {
        "unified": RUNNER,
        "image": "runner.png",
        "skin_variations": {
            "1F3FB": {"unified": "1F3C3-1F3FB-200D-2640-FE0F", "image": "toned.png"}
        },
    },
    {"unified": "2764-FE0F", "image": "heart.png"},
]
SAID = {
    "annotations": {
        "en": {"❤": {"default": ["emotion", "heart", "red heart"], "tts": ["red heart"]}},
        "hi": {"❤": {"default": ["दिल"], "tts": ["लाल दिल"]}},
    },
    "annotationsDerived": {
        "en": {
            "🏃‍♀": {"default": ["running", "woman"], "tts": ["woman running"]},
            "🏃🏻‍♀": {"default": ["light skin tone"], "tts": ["woman running: light skin tone"]},
            "❤": {"default": [], "tts": ["an older name"]},
        },
        "hi": {"🏃‍♀": {"tts": ["दौड़ती महिला"]}},
    },
}


@pytest.fixture
def packages(tmp_path, tar):
    pictures = {
        f"package/img/google/64/{name}.png": name.encode() for name in ("runner", "toned", "heart")
    }
    drawn = {"package/emoji.json": json.dumps(LISTED).encode(), **pictures}
    drawn["package/img/google/sheets/64.png"] = b"all of them"
    files = {"drawn": drawn}
    for kind, languages in SAID.items():
        files[kind] = {
            f"package/{kind}/{language}/annotations.json": json.dumps(
                {kind: {"annotations": said}}
            ).encode()
            for language, said in languages.items()
        }
    for name, members in files.items():
        (tmp_path / f"{name}.tgz").write_bytes(tar(members, "gz"))
    return [tmp_path / f"{name}.tgz" for name in files]


def test_pictures_come_with_a_table_for_each_language(packages):
    files = dict(read_emoji(packages))
    assert files["toned.png"] == b"toned"
    assert {name for name in files if name.endswith(".tsv")} == {
        *("en.tsv", "hi.tsv", "en-tones.tsv", "hi-tones.tsv")
    }
    head, runner, heart = files["en.tsv"].decode().splitlines()
    assert head == "image\tcaption\tkeywords\tlanguage\tgroup"
    assert runner == "runner.png\twoman running\trunning|woman\ten\t1F3C3"
    assert heart == "heart.png\tred heart\temotion|heart\ten\t2764"
    assert files["hi.tsv"].decode().splitlines()[1] == "runner.png\tदौड़ती महिला\t\thi\t1F3C3"
    _, toned = files["en-tones.tsv"].decode().splitlines()
    assert toned.endswith("\t1F3C3")
    assert files["hi-tones.tsv"].decode() == head + "\n"  # nobody has named it


def test_a_picture_that_is_not_there_is_missed(packages, tar):
    drawn = {"package/emoji.json": json.dumps(LISTED).encode()}
    packages[0].write_bytes(tar(drawn, "gz"))
    with pytest.raises(DataError, match="has no picture runner.png"):
        list(read_emoji(packages))


@pytest.mark.parametrize(
    "variants",
    [
        ("1F3C3", RUNNER, "1F3C3-1F3FB-200D-2642-FE0F", "1F3C3-200D-2640-FE0F-200D-27A1-FE0F"),
        ("1F468", "1F469", "1F9D1"),
        ("1F468-200D-2695-FE0F", "1F469-200D-2695-FE0F", "1F9D1-1F3FF-200D-2695-FE0F"),
        ("1F48F", "1F469-200D-2764-FE0F-200D-1F48B-200D-1F468"),
        ("1F46A", "1F468-200D-1F469-200D-1F467-200D-1F466", "1F9D1-200D-1F9D2"),
        ("1F46B", "1F9D1-200D-1F91D-200D-1F9D1"),
    ],
)
def test_variants_are_of_one_group(variants):
    assert len({group_of(one) for one in variants}) == 1


def test_what_is_no_variant_is_of_another_group():
    others = ("2640-FE0F", "2642-FE0F", "1F3FB", "1F3FC", "1F466", "1F468", "1F475", "27A1-FE0F")
    assert len({group_of(one) for one in others}) == len(others)
