"""Principal components: against the eigenvalues of the covariance, and scipy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import subspace_angles

from dragoman.core.errors import DataError
from dragoman.metrics import pca
from dragoman.metrics.pca import fit_pca, subspace_angle

sizes = st.tuples(st.integers(2, 30), st.integers(1, 8), st.integers(0, 2**32 - 1))


def correlated(rows: int, width: int, seed: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    return random.normal(size=(rows, width)) @ random.normal(size=(width, width)) + 3


@given(sizes)
@settings(max_examples=40, deadline=None)
def test_the_axes_are_the_eigenvectors_of_the_covariance(size):
    data = correlated(*size)
    centered = data - data.mean(0)
    covariance = centered.T @ centered / len(data)
    found = fit_pca(data, min(data.shape))
    values = np.linalg.eigvalsh(covariance)[::-1][: len(found.variances)]
    scale = values[0] + 1e-12
    np.testing.assert_allclose(found.variances, values, atol=1e-10 * scale)
    axes, variances = found.components, found.kept
    np.testing.assert_allclose(axes @ axes.T, np.eye(len(axes)), atol=1e-10)
    np.testing.assert_allclose(covariance @ axes.T, axes.T * variances, atol=1e-9 * scale)


@given(sizes, st.integers(1, 8))
@settings(max_examples=40, deadline=None)
def test_what_is_lost_is_the_sum_of_the_dropped_eigenvalues(size, kept):
    data = correlated(*size)
    found = fit_pca(data, min(kept, *data.shape))
    rebuilt = found.reconstruct(found.transform(data))
    lost = ((data - rebuilt) ** 2).sum(axis=1).mean()
    assert lost == pytest.approx(found.lost, rel=1e-9, abs=1e-12 * found.variances.sum())
    total = ((data - data.mean(0)) ** 2).sum(axis=1).mean()
    assert found.explained.sum() == pytest.approx(1 - found.lost / total, abs=1e-9)


def test_the_axes_are_in_order_and_the_codes_do_not_go_together():
    data = correlated(200, 6, 1)
    found = fit_pca(data, 4)
    assert (np.diff(found.variances) <= 0).all()
    codes = found.transform(data)
    np.testing.assert_allclose(codes.T @ codes / 200, np.diag(found.kept), atol=1e-10)
    np.testing.assert_allclose(codes.mean(0), 0, atol=1e-12)


def test_no_other_axes_lose_less():
    data = correlated(100, 6, 2)
    best = fit_pca(data, 2)
    random = np.random.default_rng(3)
    centered = data - data.mean(0)
    for _ in range(50):
        axes = np.linalg.qr(random.normal(size=(6, 2)))[0].T
        lost = ((centered - centered @ axes.T @ axes) ** 2).sum(axis=1).mean()
        assert lost > best.lost


def test_whitened_codes_vary_by_one_and_come_back():
    data = correlated(80, 5, 4)
    found = fit_pca(data, 5)
    codes = found.transform(data, whiten=True)
    np.testing.assert_allclose(codes.T @ codes / 80, np.eye(5), atol=1e-9)
    np.testing.assert_allclose(found.reconstruct(codes, whitened=True), data, atol=1e-9)


def test_an_axis_without_variance_is_not_divided_by():
    data = np.outer(np.arange(9.0), [1.0, 2.0])
    found = fit_pca(data, 2)
    assert found.variances[1] == pytest.approx(0, abs=1e-20)
    assert np.isfinite(found.transform(data, whiten=True)).all()
    still = fit_pca(np.ones((4, 2)), 1)
    assert still.explained.tolist() == [0.0]
    assert still.lost == 0


def test_chunks_change_nothing(monkeypatch):
    data = correlated(50, 4, 5)
    whole = fit_pca(data, 3)
    monkeypatch.setattr(pca, "CHUNK", 7)
    parts = fit_pca(data, 3)
    np.testing.assert_allclose(parts.components, whole.components, atol=1e-12)
    np.testing.assert_allclose(parts.variances, whole.variances)


def test_bytes_are_data_too():
    data = np.random.default_rng(6).integers(0, 256, (40, 3)).astype(np.uint8)
    found = fit_pca(data, 3)
    np.testing.assert_allclose(found.reconstruct(found.transform(data)), data, atol=1e-9)


@given(st.integers(1, 4), st.integers(1, 4), st.integers(4, 9), st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_the_angle_between_spaces_is_scipys(one, other, width, seed):
    random = np.random.default_rng(seed)
    first, second = random.normal(size=(one, width)), random.normal(size=(other, width))
    assert subspace_angle(first, second) == pytest.approx(
        subspace_angles(first.T, second.T).max(), abs=1e-7
    )


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-4, 0.3, 1.2, np.pi / 2])
def test_an_angle_of_two_lines_is_found_however_small(angle):
    first, second = np.array([[2.0, 0.0]]), np.array([[np.cos(angle), np.sin(angle)]])
    assert subspace_angle(first, second) == pytest.approx(angle, rel=1e-6, abs=1e-15)


def test_what_cannot_be_is_one_line():
    with pytest.raises(DataError, match="1 to 2 principal components, not 3"):
        fit_pca(np.zeros((2, 5)), 3)
    with pytest.raises(DataError, match="need rows"):
        fit_pca(np.zeros(5), 1)
    with pytest.raises(DataError, match="no angle"):
        subspace_angle(np.zeros((1, 2)), np.zeros((1, 3)))
