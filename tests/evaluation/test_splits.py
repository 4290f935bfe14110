"""Who trains and who tests: seeded, stratified, shared, and never mixed."""

import numpy as np
import pytest

from metriclearn.datasets import load_dataset
from metriclearn.datasets.prepared import facts_of, prepared
from metriclearn.evaluation.splits import (
    inner_splits,
    make_splits,
    stratified_folds,
    stratified_part,
    tuning_seeds,
)
from metriclearn.files.errors import PipelineError
from metriclearn.files.store import write_arrays
from metriclearn.stages.split import split

PROTOCOL = {"repeats": 10, "repeats_large": 3, "folds": 10, "seed": 0}


@pytest.fixture(scope="module")
def sonar():
    return prepared({"dataset": "sonar", "status": "ok"})


def test_folds_part_the_samples_evenly_in_size_and_class(sonar):
    facts, arrays = sonar
    fold_of = make_splits(facts, arrays, PROTOCOL)
    assert fold_of.shape == (10, 208)
    for row in fold_of:
        assert sorted(np.bincount(row, minlength=10)) == [20, 20] + [21] * 8
        for label in (0, 1):
            counts = np.bincount(row[arrays["y"] == label], minlength=10)
            assert counts.max() - counts.min() <= 1


def test_splits_are_the_same_for_the_same_seed_only(sonar):
    facts, arrays = sonar
    first = make_splits(facts, arrays, PROTOCOL)
    assert (first == make_splits(facts, arrays, PROTOCOL)).all()
    assert (first != make_splits(facts, arrays, {**PROTOCOL, "seed": 1})).any()
    assert len({row.tobytes() for row in first}) == 10
    fewer = make_splits(facts, arrays, {**PROTOCOL, "repeats": 3})
    assert (fewer == first[:3]).all()


def test_the_files_are_the_same_bytes(sonar, tmp_path):
    facts, arrays = sonar
    write_arrays(tmp_path / "sonar.npz", facts, **arrays)
    for name in ("a", "b"):
        split(tmp_path / "sonar.npz", tmp_path / f"{name}.npz", PROTOCOL)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_fixed_splits_are_the_papers():
    facts, arrays = prepared({"dataset": "spectf_heart", "status": "ok"})
    fold_of = make_splits(facts, arrays, PROTOCOL)
    assert fold_of.shape == (10, 267)  # each for another seed of tuning
    assert (fold_of[:, :80] == -1).all() and (fold_of[:, 80:] == 0).all()


@pytest.mark.parametrize(
    ("n_train", "repeats", "seeds"), [(20_000, 10, 10), (20_001, 10, 3), (20_001, 1, 1)]
)
def test_a_large_fixed_split_has_fewer_seeds(n_train, repeats, seeds):
    assert tuning_seeds({**PROTOCOL, "repeats": repeats}, n_train) == seeds


def test_more_folds_than_samples(kit, tmp_path):
    dataset = load_dataset(kit.write_csv(tmp_path / "mine.csv", n=8))
    facts = facts_of(dataset, "own")
    with pytest.raises(PipelineError, match="^protocol.folds is 10, more than the 8 samples of mi"):
        make_splits(facts, {"X": dataset.X, "y": dataset.y}, PROTOCOL)


def test_part_has_its_size_and_all_classes():
    y = np.repeat([0, 1, 2], [50, 30, 20])
    mask = stratified_part(y, 10, np.random.default_rng(0))
    assert np.bincount(y[mask]).tolist() == [5, 3, 2]


@pytest.mark.parametrize("kind, parts", [("nested", 3), ("holdout", 1)])
def test_inner_splits_are_within_the_training_part(kind, parts):
    y = np.arange(40) % 2
    tuning = {"kind": kind, "folds": 3, "test_size": 0.25, "holdout_from": None}
    splits = inner_splits(y, tuning, np.random.default_rng(0), 20)
    assert len(splits) == parts
    for train, test in splits:
        assert not set(train) & set(test)
        assert len(train) + len(test) == 20
    if kind == "holdout":
        assert len(splits[0][1]) == 5
    else:
        assert len(set(np.concatenate([test for _, test in splits]))) == 20


@pytest.mark.parametrize(("size", "parts"), [(29, 3), (30, 1), (40, 1)])
def test_a_hold_out_takes_the_place_of_folds_where_samples_are_many(size, parts):
    y = np.arange(40) % 2
    tuning = {"kind": "nested", "folds": 3, "test_size": 0.2, "holdout_from": 30}
    splits = inner_splits(y, tuning, np.random.default_rng(0), size)
    assert len(splits) == parts
    assert sum(len(test) for _, test in splits) == (size if parts > 1 else round(0.2 * size))


def test_every_fold_has_one_number_of_each_when_classes_are_small():
    y = np.repeat(np.arange(5), 4)
    folds = stratified_folds(y, 4, np.random.default_rng(3))
    assert all(sorted(folds[y == c]) == [0, 1, 2, 3] for c in range(5))
