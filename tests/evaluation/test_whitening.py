"""PCA, whitening and unit norm: what they must do, exactly, and on the training part alone."""

import numpy as np
import pytest

from metriclearn import KISSME, Euclidean
from metriclearn.evaluation import whitening as preprocess
from metriclearn.evaluation.part import Part
from metriclearn.evaluation.whitening import Projection, Whitening, unit_rows
from metriclearn.files.errors import PipelineError


def make_part(seed=0, n=60, d=4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d))
    pairs = rng.permutation(n)[: 2 * (n // 2)].reshape(-1, 2)
    return Part(X=X, pairs=pairs, y=np.where(np.arange(len(pairs)) % 2, 1, -1))


def covariance(part):
    delta = part.similar_differences()
    return delta.T @ delta / len(delta)


@pytest.mark.parametrize("shape", [(50, 8), (8, 50), (20, 20)])
@pytest.mark.parametrize("lanczos", [False, True])
def test_projection_is_pca(shape, lanczos, monkeypatch):
    if lanczos:
        monkeypatch.setattr(preprocess, "LANCZOS_FROM", 1)
    X = np.random.default_rng(1).normal(size=shape) * np.arange(1, shape[1] + 1) + 3.0
    dimension = 1 if lanczos else 5
    projection = Projection(dimension).fit(X)
    _, values, rows = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    Z = projection.transform(X)
    assert np.abs(Z.mean(axis=0)).max() < 1e-9
    assert np.linalg.norm(Z, axis=0) == pytest.approx(values[:dimension])
    overlap = np.abs(np.sum(projection.components_ * rows[:dimension], axis=1))
    assert overlap == pytest.approx(np.ones(dimension))


def test_projection_without_a_dimension_only_centres():
    X = np.arange(12.0).reshape(4, 3)
    assert np.array_equal(Projection().fit(X).transform(X), X - X.mean(axis=0))


def test_dimension_above_the_rank_is_refused():
    X = np.random.default_rng(0).normal(size=(10, 4))
    with pytest.raises(PipelineError, match=r"dimension 5 is above the rank of the .*\(10 × 4\)"):
        Projection(5).fit(X)
    X[:, 3] = X[:, 2]
    with pytest.raises(PipelineError, match="dimension 4 is above the rank 3"):
        Projection(4).fit(X)


def test_whitening_makes_similar_pairs_round():
    part = make_part()
    whitened = part.with_images(Whitening("whiten").fit(part).transform(part.X))
    S = covariance(whitened)
    assert S / S[0, 0] == pytest.approx(np.eye(4), abs=1e-9)


def test_ridge_keeps_small_directions_small():
    part = make_part()
    S, W = covariance(part), Whitening("whiten", ridge=0.5).fit(part)
    ridged = S + 0.5 * np.trace(S) / 4 * np.eye(4)
    assert W.matrix_ @ ridged @ W.matrix_ == pytest.approx(np.eye(4), abs=1e-9)


def test_whiten_unit_gives_unit_norm_up_to_the_common_unit():
    part = make_part()
    whitening = Whitening("whiten_unit").fit(part)
    norms = np.linalg.norm(whitening.transform(part.X), axis=1)
    assert norms == pytest.approx(np.full(len(norms), 1 / whitening.unit_))
    assert unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist() == [[0.6, 0.8], [0.0, 0.0]]


@pytest.mark.parametrize("kind", preprocess.KINDS)
@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_pairs_have_unit_length_on_average(kind, scale):
    part = make_part()
    part = part.with_images(scale * part.X)
    X = Whitening(kind).fit(part).transform(part.X)
    delta = X[part.pairs[:, 0]] - X[part.pairs[:, 1]]
    assert np.mean(np.sum(delta**2, axis=1)) == pytest.approx(1.0)


def test_whitened_distance_is_the_mahalanobis_distance_of_similar_pairs():
    part = make_part(n=200)
    white = part.with_images(Whitening("whiten").fit(part).transform(part.X))
    euclidean = Euclidean().fit_pairs(white.pair_images(), white.y).pair_score(white.pair_images())
    for one in (part, white):  # which itself does not see a whitening
        mahalanobis = (
            KISSME(weight=0.0).fit_pairs(one.pair_images(), one.y).pair_score(one.pair_images())
        )
        assert np.corrcoef(mahalanobis, euclidean)[0, 1] == pytest.approx(1.0)


def test_singular_pairs_need_a_ridge():
    part = make_part(n=6)
    with pytest.raises(ValueError, match="the 1 similar training pairs span 1 of 4 dimensions"):
        Whitening("whiten").fit(part)
    assert np.isfinite(Whitening("whiten", ridge=0.1).fit(part).transform(part.X)).all()


def test_unknown_kind():
    with pytest.raises(PipelineError, match="preprocess must be one of plain, whiten, whiten_unit"):
        Whitening("magic")
