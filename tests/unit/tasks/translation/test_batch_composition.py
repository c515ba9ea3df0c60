"""D2: the company that a sentence is translated in does not change its translation."""

import random

import pytest

from dragoman.tasks.translation.bare_translator import BareTranslator

WORDS = ["sun", "moon", "sea", "sky", "red", "blue", "cat", "dog", "tree", "bird", "fish", "song"]


@pytest.fixture(params=[20, pytest.param(200, marks=pytest.mark.slow)])
def sentences(request):
    draw = random.Random(5)
    return [" ".join(draw.choices(WORDS, k=draw.randint(1, 9))) for _ in range(request.param)]


def translations(translator, sentences, beam, slots):
    narrow = translator.decoding.model_copy(update={"batch_tokens": slots})
    same = BareTranslator(
        translator.model,
        translator.tokenizer,
        narrow,
        longest=translator.longest,
        device=translator.device,
    )
    return same.translate(sentences, beam=beam)


@pytest.mark.slow
@pytest.mark.parametrize("beam", [1, 4])
def test_alone_in_small_and_in_large_batches_the_output_is_the_same(tiny, sentences, beam):
    translator = BareTranslator.load(tiny.run)
    translator.model.double()
    alone = translations(translator, sentences, beam, slots=1)
    assert len(set(alone)) > 5
    for slots in (70 * beam, 640 * beam, 10_000):
        assert translations(translator, sentences, beam, slots) == alone


def test_the_order_of_the_sentences_changes_nothing(tiny, sentences):
    translator = BareTranslator.load(tiny.run)
    translator.model.double()
    shuffled = sentences[:]
    random.Random(7).shuffle(shuffled)
    by_sentence = dict(zip(sentences, translator.translate(sentences), strict=True))
    for sentence, found in zip(shuffled, translator.translate(shuffled), strict=True):
        assert found == by_sentence[sentence]


@pytest.mark.slow
def test_in_single_precision_999_of_1000_outputs_are_the_same(tiny, sentences):
    translator = BareTranslator.load(tiny.run)
    alone = translations(translator, sentences, 4, slots=1)
    together = translations(translator, sentences, 4, slots=4096)
    differing = sum(a != b for a, b in zip(alone, together, strict=True))
    assert differing <= len(sentences) / 1000
