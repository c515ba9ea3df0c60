"""What detail is worth is counted over the images that have both captions, each with itself."""

import numpy as np
import torch

from dragoman.tasks.image_text.detail import CaptionMatches, compare_detail
from dragoman.tasks.image_text.evaluate import TO_IMAGE, TO_TEXT, _matched

STEPS = (("short", "long"), ("long", "longest"))


def asked(said, **hits):
    return CaptionMatches(
        np.array(said, bool), {way: np.array(one, bool) for way, one in hits.items()}
    )


def test_only_images_with_both_captions_are_compared_each_with_itself():
    short = asked([1, 1, 0, 1, 1], there=[0, 1, 0, 0], back=[0, 0, 0, 0])
    long = asked([0, 1, 1, 1, 1], there=[0, 1, 1, 0], back=[1, 1, 1, 1])
    there, back = compare_detail("en", {"short": short, "long": long}, STEPS)
    # The second, fourth and fifth image: lost, gained, neither.
    assert (there.language, there.way, there.less, there.more) == ("en", "there", "short", "long")
    assert (there.gain.things, there.gain.difference) == (3, 0)
    assert there.gain.low < 0 < there.gain.high
    assert (back.gain.things, back.gain.difference) == (3, 1)
    assert back.gain.sure


def test_kinds_that_no_image_has_are_passed_over():
    short = asked([1, 0], there=[1])
    long = asked([0, 1], there=[1])
    assert compare_detail("en", {"short": short}, STEPS) == []
    assert compare_detail("en", {"short": short, "long": long}, STEPS) == []


def test_a_caption_is_to_bring_its_own_image_even_where_others_are_called_the_same():
    class Matcher:
        def read(self, texts):
            return torch.eye(30)[: len(texts)]

    seen = torch.zeros(30, 30)
    seen[:, 0] = torch.linspace(1, 0, 30)  # all are called "flag", and the first are nearest
    matched, found = _matched(Matcher(), seen, ["flag"] * 30, "en", "one keyword")
    assert matched.to_image.recall[10] == 1  # some flag is found …
    assert found.hits[TO_IMAGE].tolist() == [True] * 10 + [False] * 20  # … but not each of them
    assert found.hits[TO_TEXT].all()
