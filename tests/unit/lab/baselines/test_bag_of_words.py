import math
import random

import pytest
import torch
from scipy.optimize import minimize

from dragoman.core.errors import DataError
from dragoman.lab.baselines.bag_of_words import BagOfWords
from dragoman.lab.baselines.regression import regression

ENTRIES = ["counts", "presence", "tf-idf"]


def reviews(count=40, seed=1):
    """Words 5 and 6 praise, 7 and 8 blame; the others say nothing."""
    draw = random.Random(seed)
    texts, labels = [], []
    for number in range(count):
        label = "good" if number % 2 else "bad"
        telling = draw.choices([5, 6] if label == "good" else [7, 8], k=draw.randint(1, 2))
        texts.append(draw.sample([*telling, *draw.choices(range(9, 20), k=5)], k=5 + len(telling)))
        labels.append(label)
    return texts, labels


def test_tf_idf_is_what_it_says():
    texts = [[0, 0, 1], [0, 2], [0]]
    model = BagOfWords(4).fit(texts, [0, 1, 1])
    idf = [math.log(4 / (1 + n)) + 1 for n in (3, 1, 1, 0)]
    first = torch.tensor([2 * idf[0], idf[1], 0, 0], dtype=torch.float64)
    found = model.features(texts).to_dense()
    torch.testing.assert_close(found[0], first / first.norm())
    torch.testing.assert_close(found.norm(dim=1), torch.ones(3, dtype=torch.float64))
    assert model.features([[]]).to_dense().tolist() == [[0, 0, 0, 0]]


def test_presence_forgets_how_often():
    model = BagOfWords(4, entry="presence")
    assert model.features([[3, 3, 1]]).to_dense().tolist() == [[0, 1, 0, 1]]


@pytest.mark.parametrize("entry", ENTRIES)
def test_what_words_tell_is_learned(entry):
    model = BagOfWords(20, entry=entry).fit(*reviews())
    texts, labels = reviews(seed=2)
    assert model.predict(texts) == labels
    assert model.probabilities(texts).sum(1).tolist() == pytest.approx([1] * len(texts))
    assert model.labels == ("bad", "good")


def test_the_order_of_words_tells_it_nothing():
    texts, labels = reviews()
    model = BagOfWords(20).fit(texts, labels)
    backwards = [text[::-1] for text in texts]
    torch.testing.assert_close(model.probabilities(backwards), model.probabilities(texts))


def test_neither_the_order_of_the_texts_nor_chance_matters():
    texts, labels = reviews()
    one = BagOfWords(20).fit(texts, labels)
    torch.manual_seed(5)
    other = BagOfWords(20).fit(texts[::-1], labels[::-1])
    torch.testing.assert_close(
        one.probabilities(texts), other.probabilities(texts), atol=1e-6, rtol=0
    )


def test_the_weights_are_the_best_there_are():
    """scipy minimises the same sum, written out, from another beginning."""
    draw = torch.Generator().manual_seed(3)
    x = torch.randn(12, 2, generator=draw, dtype=torch.float64)
    true = torch.randint(0, 3, (12,), generator=draw)
    weights, bias = regression(x, true, 3, 0.7)

    def total(flat):
        w, b = torch.from_numpy(flat[:6]).view(2, 3), torch.from_numpy(flat[6:])
        likely = (x @ w + b).log_softmax(1)
        return float(-likely[range(12), true].sum() + 0.35 * w.square().sum())

    begin = torch.randn(9, generator=draw, dtype=torch.float64).numpy()
    best = minimize(total, begin, tol=1e-12)
    torch.testing.assert_close(
        weights.flatten(), torch.from_numpy(best.x[:6]), atol=1e-4, rtol=1e-3
    )
    assert total(torch.cat((weights.flatten(), bias)).numpy()) <= best.fun + 1e-8


def test_what_cannot_be_is_refused():
    with pytest.raises(DataError, match="1 classes for 2 texts"):
        BagOfWords(9).fit([[1], [2]], [0])
    with pytest.raises(DataError, match="nothing is learned yet"):
        BagOfWords(9).predict([[1]])
    with pytest.raises(DataError, match="tokens 1 to 9, where 0 to 8"):
        BagOfWords(9).fit([[1], [9]], [0, 1])
    assert BagOfWords(9).fit([[1], [2]], [0, 1]).predict([]) == []
