"""Our errors and rates against the paper's: the rows, the chart and the picture."""

import pytest
import small_run
from matplotlib.colors import to_hex

from metriclearn.experiment.run import Run
from metriclearn.presentation.figures import agreement
from metriclearn.presentation.figures._agreement_rates import rate_rows
from metriclearn.presentation.figures._style import colour

ITEM = {"group": "all"}


@pytest.fixture(scope="module")
def run():
    changes = ["experiment.datasets=[sonar,letter]", "experiment.methods=[nca,pcml,kissme]"]
    return Run("smoke", [*changes, "protocol.repeats=2", "experiment.banner=null"])


def rows_of(run, errors):
    """Two folds of each repetition with the same error."""
    return [
        {
            "dataset": dataset,
            "method": method,
            "repeat": str(repeat),
            "fold": str(fold),
            "status": "ok",
            "message": "",
            "n_test": "4000",
            "error": str(error + 0.01 * repeat),
        }
        for (dataset, method), error in errors.items()
        for repeat in range(2)
        for fold in range(2)
    ]


def test_a_row_for_what_both_have(run):
    errors = {("sonar", "pcml"): 0.12, ("sonar", "nca"): 0.3, ("sonar", "kissme"): 0.1}
    made = agreement.agreement_rows(run, ITEM, rows_of(run, errors))
    assert [(row["method"], row["dataset"]) for row in made] == [
        ("nca", "sonar"),
        ("pcml", "sonar"),  # the paper's own methods are drawn last; it has no KISSME, we no Letter
    ]
    pcml = made[1]
    assert pcml["ours"] == pytest.approx(12.5) and pcml["paper"] == 12.71
    assert (pcml["table"], pcml["verdict"], pcml["edition"]) == ("table3", "reproduced", "ours")
    assert pcml["cell"] == "table3-sonar-pcml" and made[0]["verdict"] == "higher"


def test_nothing_is_drawn_without_the_papers_errors(run):
    figure = agreement.make(run, "agreement", ITEM, {"rows": []})
    assert figure.draw is None and figure.panels == []
    assert figure.missing == [("everything", "no error of ours has one of the paper beside it")]


def test_rates_are_those_of_the_chosen_preprocessing():
    run = Run("paper")
    head = {"images": "lfw", "feature": "sift", "status": "ok", "message": "", "chosen": "{}"}
    lfw = [
        {**head, "method": method, "preprocess": kind, "fold": fold, "accuracy": accuracy}
        for method in ("pcml", "doublet_svm")
        for kind, accuracy in (("plain", "0.5"), ("chosen", "0.86"))
        for fold in ("0", "1")
    ]
    collected = {**dict.fromkeys(run.matches.images(), []), "lfw": lfw}
    (row,) = rate_rows(run, collected)  # Doublet-SVM is not in the paper's table
    assert (row["title"], row["method"]) == ("LFW, SIFT, accuracy", "pcml")
    assert row["ours"] == pytest.approx(86.0) and row["paper"] == 85.7
    assert row["cell"] == "table6-sift-pcml-chosen"


def test_the_picture_names_what_is_not_reproduced():
    rows = [row for row in small_run.agreement_rows() if row["edition"] == "ours"]
    (axes,) = agreement.draw_agreement(rows).axes
    named = [(text.get_text(), to_hex(text.get_color()).upper()) for text in axes.texts]
    assert named == [("Toy", colour("ncml"))]
    labels = axes.get_legend_handles_labels()[1]
    assert labels == ["1 other method", "PCML ± 2 deviations", "NCML ± 2 deviations"]
    low, high = axes.get_xlim()
    assert axes.get_ylim() == (low, high) and axes.lines[0].get_xdata().tolist() == [low, high]
