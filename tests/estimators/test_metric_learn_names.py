"""A script for metric-learn, run with the names of docs/metric_learn.md in place of its own."""

import re
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
# Rows of the table that this script needs, in the order in which they are applied.
USED = (
    "from metric_learn import ",
    "LMNN(n_neighbors=3)",
    "ITML_Supervised(n_constraints=",
    "ITML_Supervised",
    "ITML(preprocessor=X)",
    '{"gamma": ',
)


def renamed():
    rows = re.findall(
        r"^\| `([^`]+)` \| `([^`]+)` \|", (ROOT / "docs/metric_learn.md").read_text(), re.M
    )
    names, text = dict(rows), (ROOT / "tests/system/peers/script.py").read_text()
    for name in USED:
        assert name in text
        text = text.replace(name, names[name])
    return text


@pytest.mark.filterwarnings("ignore")
def test_the_script_runs_with_our_names():
    text = renamed()
    assert "metric_learn" not in text.partition('"""\n\n')[2]
    got: dict = {}
    exec(compile(text, "script.py", "exec"), got)
    X, y, pairs, y_pairs = got["X"], got["y"], got["pairs"], got["y_pairs"]
    check = got["check"]
    # Samples.
    assert got["mapped"].shape == got["X_test"].shape and got["flat"].shape == (112, 2)
    difference = got["X_test"][0] - got["X_test"][1]
    assert got["far"] == pytest.approx(np.sqrt(difference @ got["M"] @ difference))
    assert got["knn_scores"].min() > 0.9 and got["knn_accuracy"] > 0.9
    assert len(got["itml_labels"].pairs_) <= 200
    # Pairs.
    itml = got["itml"]
    assert set(got["first"]) == {-1, 1} and (got["none"] == -1).all()
    assert got["calibrated"] > 0.8
    squared = itml.estimator_.pair_distance(X[pairs[check]]) ** 2
    np.testing.assert_array_equal(np.argsort(-got["ranking"]), np.argsort(squared))
    assert got["pair_search"].best_params_.keys() == {"estimator__gamma"}
    best = got["pair_search"].best_estimator_
    assert got["found"] == np.mean(best.predict(pairs[check]) == y_pairs[check]) > 0.8
    assert (y[pairs[:, 0]] == y[pairs[:, 1]]).tolist() == (y_pairs > 0).tolist()
