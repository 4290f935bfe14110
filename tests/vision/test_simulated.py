"""The simulated sets: sizes, seeds, and a difficulty that leaves something to learn."""

import numpy as np
import pytest

from metriclearn import KISSME
from metriclearn.datasets import DatasetError
from metriclearn.vision import load_image_spec, simulated_faces, simulated_persons

SMALL_FACES = {"n_folds": 3, "n_each": 300, "images_per_person": 40}
SMALL_PERSONS = {"n_images": 400, "n_persons": 24}


def test_faces_have_the_size_of_pubfig():
    found = simulated_faces()
    assert found.X.shape[1] == 73
    assert found.pairs.shape == (20000, 2)
    for fold in range(10):
        np.testing.assert_array_equal(np.bincount(found.same[found.fold == fold]), [1000, 1000])
    assert len({frozenset(pair) for pair in found.pairs.tolist()}) == 20000
    images = [set(found.pairs[found.fold == fold].ravel()) for fold in range(10)]
    assert sum(map(len, images)) == len(set.union(*images)) == len(found.X)  # folds share none


def test_persons_have_the_size_of_caviar4reid():
    found = simulated_persons()
    assert len(found.X) == 1220
    _, counts = np.unique(found.person, return_counts=True)
    assert len(counts) == 72
    assert counts.min() >= 4
    assert len(set(counts)) > 5  # unequal
    for person in range(72):
        assert np.bincount(found.camera[found.person == person]).min() >= 2


@pytest.mark.parametrize(
    ("make", "size"), [(simulated_faces, SMALL_FACES), (simulated_persons, SMALL_PERSONS)]
)
def test_a_seed_gives_one_set_and_it_is_called_simulated(make, size):
    a, b, c = make(**size), make(**size), make(**size, seed=1)
    assert a.content_hash == b.content_hash != c.content_hash
    assert a.simulated
    assert "imulated" in a.title
    assert a.source == "simulated, seed 20150219"
    spec = load_image_spec(a.name)
    assert (spec.title, spec.task, spec.simulated) == (a.title, a.task, True)
    assert list(spec.features) == [a.feature]


def best_accuracy(distance, same):
    order = same[np.argsort(distance)]
    right = np.concatenate([[0], np.cumsum(np.where(order, 1, -1))]) + (~same).sum()
    return right.max() / len(same)


def test_a_learned_metric_is_clearly_better_on_faces():
    found = simulated_faces(n_folds=2, n_each=1000)
    pairs = found.X[found.pairs].astype(float)
    train = found.fold == 0
    kissme = KISSME().fit_pairs(pairs[train], np.where(found.same[train], 1, -1))
    euclidean = np.linalg.norm(pairs[~train, 0] - pairs[~train, 1], axis=1)
    plain = best_accuracy(euclidean, found.same[~train])
    learned = best_accuracy(kissme.pair_distance(pairs[~train]), found.same[~train])
    assert 0.66 < plain < 0.76
    assert learned > plain + 0.05


def test_a_learned_metric_is_clearly_better_on_persons():
    found = simulated_persons()
    X, person = found.X.astype(float), found.person
    train = person < 36
    X = X @ np.linalg.svd(X[train] - X[train].mean(axis=0))[2][:60].T
    rng = np.random.default_rng(0)
    i, j = np.triu_indices(train.sum(), 1)
    same = person[train][i] == person[train][j]
    chosen = np.concatenate(
        [np.flatnonzero(same), rng.choice(np.flatnonzero(~same), same.sum(), replace=False)]
    )
    pairs = X[train][np.stack([i, j], axis=1)[chosen]]
    kissme = KISSME().fit_pairs(pairs, np.where(same[chosen], 1, -1))
    test = np.flatnonzero(~train)
    draws = [[rng.choice(test[person[test] == p]) for p in range(36, 72)] for _ in range(10)]

    def rank1(Z):
        hits = []
        for probe in draws:
            gallery = np.setdiff1d(test, probe)
            d = np.linalg.norm(Z[probe][:, None] - Z[gallery][None], axis=2)
            hits.append(person[gallery][d.argmin(axis=1)] == person[probe])
        return np.mean(hits)

    assert 0.22 < rank1(X) < 0.42
    assert rank1(kissme.transform(X)) > rank1(X) + 0.1


def test_impossible_sizes_are_reported():
    with pytest.raises(DatasetError, match="1000 distinct pairs of a kind need more than"):
        simulated_faces(images_per_person=5)
    with pytest.raises(DatasetError, match="got 7 images of 2"):
        simulated_persons(n_images=7, n_persons=2)
