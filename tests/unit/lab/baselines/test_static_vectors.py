import math
import random

import numpy as np
import pytest
import torch

from dragoman.core.errors import ConfigError, DataError
from dragoman.lab.baselines.static_vectors import (
    Counting,
    MeanOfVectors,
    SkipGram,
    attraction,
    nearest,
    neighbors,
    skip_gram_loss,
)

ANIMALS, VEHICLES, EATS, DRIVES = (4, 5), (6, 7), (8, 9, 10), (11, 12, 13)
SOURCES = [
    Counting(16, width=4, window=2),
    SkipGram(16, width=8, window=2, epochs=15, batch=64, rate=0.05),
]


def sentences(count=120, seed=1):
    """Animals stand with some words and vehicles with others; 14 and 15 with both."""
    draw = random.Random(seed)
    texts = []
    for number in range(count):
        who, company = (ANIMALS, EATS) if number % 2 else (VEHICLES, DRIVES)
        texts.append([draw.choice((14, 15)), draw.choice(who), *draw.sample(company, 2)])
    return texts


def cosine(vectors, a, b):
    return torch.cosine_similarity(vectors[a], vectors[b], dim=0).item()


@pytest.mark.parametrize("source", SOURCES, ids=["counting", "skip-gram"])
def test_words_of_the_same_company_have_near_vectors(source):
    vectors = source.vectors(sentences())
    assert cosine(vectors, 4, 5) > 0.8 > cosine(vectors, 4, 6) + 0.3
    assert cosine(vectors, 6, 7) > 0.8 > cosine(vectors, 5, 7) + 0.3
    assert nearest(vectors, 4, 3)[0][0] == 5 or nearest(vectors, 4, 3)[1][0] == 5


def test_words_in_equal_contexts_have_equal_counted_vectors():
    texts = [[word, *company] for company in ([8, 9], [9, 10]) for word in (4, 5)]
    texts += [[6, 11, 12], [7, 12, 13]]
    vectors = Counting(16, width=6, window=2).vectors(texts)
    torch.testing.assert_close(vectors[4], vectors[5])
    assert vectors[15].abs().max() < 1e-9  # never seen


@pytest.mark.parametrize("source", SOURCES, ids=["counting", "skip-gram"])
def test_the_same_texts_give_the_same_vectors_whatever_chance_did_before(source):
    texts = sentences(30)
    one = source.vectors(texts)
    state = torch.get_rng_state()
    torch.manual_seed(77)
    assert torch.equal(one, source.vectors(texts))
    torch.set_rng_state(state)


def test_counted_vectors_leave_the_chance_of_others_alone():
    before = torch.get_rng_state()
    SOURCES[0].vectors(sentences(10))
    assert torch.equal(torch.get_rng_state(), before)


def test_neighbors_stand_within_the_window_and_within_one_text():
    found = neighbors([[1, 2, 3], [4], [5, 6]], 8, 1)
    assert sorted(map(tuple, found.tolist())) == [*((1, 2), (2, 1), (2, 3), (3, 2), (5, 6), (6, 5))]
    wider = neighbors([[1, 2, 3]], 8, 5)
    assert sorted(map(tuple, wider.tolist())) == [
        (a, b) for a in (1, 2, 3) for b in (1, 2, 3) if a != b
    ]


def test_attraction_is_the_positive_part_of_the_logarithm():
    texts = sentences(12)
    pairs = neighbors(texts, 16, 2)
    counts = np.zeros((16, 16))
    for a, b in pairs:
        counts[a, b] += 1
    chance = counts.sum(0) ** 0.75
    chance /= chance.sum()
    found = attraction(pairs, 16).to_dense()
    for a in range(16):
        for b in range(16):
            expected = 0.0
            if counts[a, b]:
                joint = counts[a, b] / counts.sum()
                expected = max(0.0, math.log(joint / (counts[a].sum() / counts.sum() * chance[b])))
            assert found[a, b].item() == pytest.approx(expected)


def test_the_truncated_decomposition_is_the_best_of_its_rank():
    texts = sentences(200)
    matrix = attraction(neighbors(texts, 16, 2), 16).to_dense().numpy()
    _, s, _ = np.linalg.svd(matrix)
    vectors = Counting(16, width=4, window=2).vectors(texts)
    np.testing.assert_allclose((vectors**2).sum(0).numpy(), s[:4], rtol=1e-6)


def test_the_loss_of_a_pair_worked_out():
    word, true = torch.tensor([[1.0, 2.0]]), torch.tensor([[0.5, 0.5]])
    false = torch.tensor([[[1.0, 0.0], [0.0, -1.0]]])
    expected = -math.log(1 / (1 + math.exp(-1.5)))
    expected += -math.log(1 / (1 + math.exp(1.0))) - math.log(1 / (1 + math.exp(-2.0)))
    assert skip_gram_loss(word, true, false).item() == pytest.approx(expected)


@pytest.mark.parametrize(
    "source", [*SOURCES, torch.eye(16)], ids=["counting", "skip-gram", "given"]
)
def test_the_mean_of_the_vectors_tells_texts_apart(source):
    texts = sentences(40)
    labels = [number % 2 for number in range(40)]
    model = MeanOfVectors(16, source, decay=0.01).fit(texts, labels)
    assert model.predict(sentences(20, seed=5)) == [number % 2 for number in range(20)]


def test_the_features_are_the_mean():
    vectors = torch.randn(16, 3)
    found = MeanOfVectors(16, vectors).features([[4, 4, 7], []])
    torch.testing.assert_close(found[0], (2 * vectors[4] + vectors[7]).double() / 3)
    assert found[1].tolist() == [0, 0, 0]


def test_what_cannot_be_is_refused():
    with pytest.raises(ConfigError, match="a width of 17 for 16 tokens"):
        Counting(16, width=17).vectors(sentences(4))
    with pytest.raises(DataError, match="no two tokens stand together"):
        Counting(16, width=2).vectors([[4], []])
    with pytest.raises(DataError, match="tokens 4 to 16, where 0 to 15"):
        SkipGram(16).vectors([[4, 16]])
