"""Protocols: who trains, who tests, and that nothing of the test part is ever seen in training."""

import dataclasses

import numpy as np
import pytest

from metriclearn.evaluation.reidentification import Reidentification
from metriclearn.evaluation.verification import Verification, check_same_pairs
from metriclearn.files.errors import PipelineError
from metriclearn.vision.featureset import FeatureSet
from metriclearn.vision.simulated import simulated_faces, simulated_persons

MATCHING = {
    "partitions": 3,
    "negatives": 1,
    "max_similar": None,
    "seed": 0,
    "probe": "paper",
    "preprocess": "plain",
}
TUNING = {"folds": 3, "use_folds": None, "max_pairs": None}


def make(kind, features, tuning=TUNING, **matching):
    """A protocol on one feature."""
    config = {
        "images": {"parts": [features.feature], "pca": [None]},
        "method": {},
        "matching": {**MATCHING, "use_folds": None, "tuning": tuning, **matching},
    }
    return kind(config, [features])


def split(protocol, fold):
    return protocol.parts({"fold": fold})


@pytest.fixture(scope="module")
def faces():
    return simulated_faces(
        n_folds=4, n_each=20, n_features=6, persons_per_fold=4, images_per_person=8
    )


@pytest.fixture(scope="module")
def persons():
    return simulated_persons(n_images=80, n_persons=12, n_features=6)


@pytest.fixture(scope="module")
def two_cameras():
    """As VIPeR: 10 persons, one image of each from camera A (0) and camera B (1)."""
    rng = np.random.default_rng(0)
    return FeatureSet(
        name="viper",
        title="VIPeR",
        feature="histogram",
        task="reidentification",
        source="made",
        X=rng.normal(size=(20, 3)),
        person=np.repeat(np.arange(10), 2),
        camera=np.tile([0, 1], 10),
    )


def images(part):
    """The images of a part as a set of values."""
    return {row.tobytes() for row in np.asarray(part.X)}


def row_numbers(features, part):
    """Rows of the feature set that a part's images are; images differ, so they name themselves."""
    number = {row.tobytes(): i for i, row in enumerate(features.X)}
    return np.array([number[row.tobytes()] for row in part.X])


def test_verification_parts_are_the_folds(faces):
    protocol = make(Verification, faces)
    assert protocol.n_folds == 4
    for fold in range(4):
        train, test = split(protocol, fold)
        assert (len(train.y), len(test.y)) == (3 * 40, 40)
        for part, mask in ((train, faces.fold != fold), (test, faces.fold == fold)):
            rows = row_numbers(faces, part)
            assert np.array_equal(rows[part.pairs], faces.pairs[mask])
            assert np.array_equal(part.y > 0, faces.same[mask])
            assert set(rows) == set(np.unique(faces.pairs[mask]))
        assert not images(train) & images(test)  # the simulated folds have different persons


def test_verification_inner_folds_keep_given_folds_together(faces):
    protocol = make(Verification, faces)
    train, _ = split(protocol, 3)
    splits = protocol.inner_splits(train, np.random.default_rng(0))
    assert [sorted(set(held.fold)) for _, held in splits] != [[0, 1, 2]] * 3
    assert sorted(int(f) for _, held in splits for f in set(held.fold)) == [0, 1, 2]
    for inner, held in splits:
        assert not set(inner.fold) & set(held.fold)
        assert images(inner) | images(held) <= images(train)
        assert not images(inner) & images(held)


def test_verification_inner_folds_have_limits(faces):
    few = {"folds": 3, "use_folds": 1, "max_pairs": 60}
    protocol = make(Verification, faces, few)
    train, _ = split(protocol, 0)
    ((inner, held),) = protocol.inner_splits(train, np.random.default_rng(0))
    assert len(inner.y) + len(held.y) == 60
    assert abs((inner.y > 0).sum() + (held.y > 0).sum() - 30) <= 1
    # More inner folds than given ones: pairs of both kinds are dealt evenly.
    many = {"folds": 6, "use_folds": None, "max_pairs": None}
    protocol = make(Verification, faces, many)
    splits = protocol.inner_splits(train, np.random.default_rng(0))
    assert [len(held.y) for _, held in splits] == [20] * 6
    assert [int((held.y > 0).sum()) for _, held in splits] == [10] * 6


def test_features_to_combine_have_the_same_pairs(faces):
    check_same_pairs([faces, faces])
    other = dataclasses.replace(faces, same=~faces.same, content_hash="", feature="other")
    with pytest.raises(PipelineError, match="same of attribute and other differ"):
        check_same_pairs([faces, other])


def test_viper_protocol(two_cameras):
    protocol = make(Reidentification, two_cameras)
    for fold in range(3):
        train, test = split(protocol, fold)
        assert len(set(train.person)) == len(set(test.person)) == 5
        assert not set(train.person) & set(test.person)
        assert (test.camera[test.probe] == 1).all() and (test.camera[~test.probe] == 0).all()
        assert sorted(test.person[test.probe]) == sorted(test.person[~test.probe])
        assert (train.y == [1] * 5 + [-1] * 5).all()
        i, j = train.pairs.T
        assert ((train.person[i] == train.person[j]) == (train.y > 0)).all()
        assert (train.camera[i] != train.camera[j]).all()
        assert (i[:5] == i[5:]).all()  # a negative for each positive, with its first image


def test_more_negatives_keep_partition_and_positives(two_cameras):
    one, _ = split(make(Reidentification, two_cameras), 0)
    four, _ = split(make(Reidentification, two_cameras, negatives=4), 0)
    assert np.array_equal(one.X, four.X)
    assert np.array_equal(one.pairs[one.y > 0], four.pairs[four.y > 0])
    assert (four.y < 0).sum() == 20
    assert len({tuple(p) for p in four.pairs[four.y < 0].tolist()}) == 20  # all that there are
    with pytest.raises(PipelineError, match="negatives is 5, but a training image has only 4 ima"):
        split(make(Reidentification, two_cameras, negatives=5), 0)


def test_caviar_protocol(persons):
    protocol = make(Reidentification, persons)
    assert not protocol.by_camera
    for fold in range(3):
        train, test = split(protocol, fold)
        assert len(set(train.person)) == len(set(test.person)) == 6
        assert not set(train.person) & set(test.person)
        assert sorted(test.person[~test.probe]) == sorted(set(test.person))  # one in the gallery
        assert len(train.X) + len(test.X) == 80
        counts = np.unique(train.person, return_counts=True)[1]
        assert (train.y > 0).sum() == sum(n * (n - 1) // 2 for n in counts)
        assert (train.y < 0).sum() == (train.y > 0).sum()
        i, j = train.pairs.T
        assert ((train.person[i] == train.person[j]) == (train.y > 0)).all()
        assert (i != j).all()


def test_cap_of_similar_pairs(persons):
    train, _ = split(make(Reidentification, persons, max_similar=11, negatives=2), 0)
    assert ((train.y > 0).sum(), (train.y < 0).sum()) == (11, 22)
    assert len({tuple(p) for p in train.pairs[train.y > 0].tolist()}) == 11


def test_partitions_are_seeded(persons):
    first, again = (split(make(Reidentification, persons), 1) for _ in range(2))
    other = split(make(Reidentification, persons, seed=1), 1)
    for a, b in zip(first, again, strict=True):
        assert np.array_equal(a.X, b.X) and np.array_equal(a.pairs, b.pairs)
    assert np.array_equal(first[1].probe, again[1].probe)
    assert not np.array_equal(first[0].person, other[0].person)
    drawn = {
        tuple(np.unique(split(make(Reidentification, persons), f)[0].person)) for f in range(3)
    }
    assert len(drawn) == 3


def test_reidentification_inner_persons_are_disjoint(persons):
    protocol = make(Reidentification, persons)
    train, _ = split(protocol, 0)
    splits = protocol.inner_splits(train, np.random.default_rng(0))
    held = [set(h.person) for _, h in splits]
    assert [len(h) for h in held] == [2, 2, 2] and set().union(*held) == set(train.person)
    for inner, test in splits:
        assert not set(inner.person) & set(test.person)
        assert set(inner.person) | set(test.person) == set(train.person)
    with pytest.raises(PipelineError, match="tuning.folds is 4, too many for 6 training persons"):
        make(Reidentification, persons, {**TUNING, "folds": 4}).inner_splits(
            train, np.random.default_rng(0)
        )


def test_probe_can_be_set(persons, two_cameras):
    assert make(Reidentification, two_cameras).by_camera
    assert not make(Reidentification, two_cameras, probe="image").by_camera
    assert make(Reidentification, persons, probe="camera").by_camera
    one, others = (
        split(make(Reidentification, persons, probe=p), 0)[1] for p in ("image", "others")
    )
    assert np.array_equal(one.probe, ~others.probe)
    assert sorted(one.person[one.probe]) == sorted(set(one.person))
    alone = dataclasses.replace(persons, camera=np.zeros(80, dtype=int), content_hash="")
    with pytest.raises(PipelineError, match="probe=camera needs every person of simulated_persons"):
        make(Reidentification, alone, probe="camera")
