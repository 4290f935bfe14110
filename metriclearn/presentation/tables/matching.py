"""Tables 6 to 9: accuracies or ranks of the methods on an image set, beside the paper's."""

from pathlib import Path

from ...analysis.behind import rows_behind
from ...analysis.error_rates import mean_seconds
from ...analysis.match_rates import JOB, match_means, paper_rates
from ...analysis.verdict import RULE, judge
from ...vision.spec import load_image_spec
from ..table import Cell, Column, Row, Table
from ..words import PREPROCESS, listed
from ._common import METHOD, SIGNS, missing_remark, paper_table_rows, table_title

MEASURES = {"accuracy": "verification accuracy (%)", "rank": "recognition rate (%) by rank"}
ONE_PROBE = "one_probe_"  # ranks by the roles of the paper's text; see reidentification.py
PAPER_ONLY = {"attribute_classifiers": "Attribute Classifiers"}
PAPER_ONLY_NOTE = "the paper's number; not a metric learning method"
FEATURE = Column("feature", "Feature", words=True)
PREPROCESSING = Column("preprocess", "Preprocessing", words=True)
SECONDS = Column("fit_s", "fit (s)", number=".3g")
paper = paper_table_rows


def make(run, name, item, collected):
    """One measure: preprocessings side by side. Several: the measures side by side."""
    cells = match_cells(run, item, collected["rows"], collected["times"])
    facts = run.matches.facts(item["images"])
    one = len(item["measures"]) == 1
    kind = "accuracy" if item["measures"] == ["accuracy"] else "rank"
    table = Table(
        name,
        f"{table_title(run, name)}: {MEASURES[kind]} on {run.matches.title(item)}.",
        [FEATURE, METHOD] if one else [FEATURE, PREPROCESSING, METHOD],
        [],
    )
    (_by_preprocess if one else _by_measure)(table, run, item, cells)
    table.remarks = [
        "Mean of ours over the folds. Best of ours in each column in bold. All methods get the "
        "same preprocessing: PCA alone; whitened by the similar training pairs; the same with unit "
        "norm; or the one of the three that is best on the training part (chosen). Parameters are "
        "chosen on the training part.",
        *training_remark(item, collected["rows"]),
        *missing_remark(table),
        *extra_remark(run, item),
    ]
    table.left_out = left_out(item, cells)
    table.sources = [Path(path).name for path in run.gathered(item["images"])["rows"]]
    if item["paper"]:
        table.remarks.append(RULE)
        table.legend = f"In brackets: the difference to the paper. {SIGNS}"
    if facts["simulated"]:
        table.remarks.append("Simulated data: not to be compared with the paper.")
    return table


def training_remark(item, rows):
    """How many pairs a fold is trained on."""
    own = [row for row in rows if row["images"] == item["images"]]
    counts = [int(row["n_train"]) for row in own if row.get("n_train")]
    if not counts:
        return []
    low, high = min(counts), max(counts)
    number = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    return [f"A fold is trained on {number} pairs."]


def shown_features(item, cells):
    """The features of a table that have a result; all of them where none has."""
    having = {key[0] for key, cell in cells.items() if cell.value is not None}
    return [feature for feature in item["features"] if feature in having] or item["features"]


def left_out(item, cells):
    """The features that are not shown, each with the reason."""
    spec, shown = load_image_spec(item["images"]), shown_features(item, cells)
    reasons = {
        spec.feature_title(key[0]): cell.note
        for key, cell in cells.items()
        if key[0] not in shown and cell.note
    }
    return [[title, reason] for title, reason in reasons.items()]


def extra_remark(run, item):
    """Methods of the table that the paper's has not."""
    papers = {method for _, method in paper_rates(item)}
    extra = [run.title(method) for method in item["methods"] if method not in papers]
    return [f"Not in the paper's table: {listed(extra)}."] if papers and extra else []


def match_cells(run, item, rows, times=()):
    """``{(feature, preprocess, method, measure): Cell}``, beside the paper's and judged."""
    paper_values = paper_rates(item)
    own_times = [row for row in times if row["images"] == item["images"]]
    seconds = mean_seconds(own_times, JOB, "fit_s")
    spec = load_image_spec(item["images"])
    own_rows = [row for row in rows if row["images"] == item["images"]]
    behind = {measure: rows_behind(own_rows, JOB, measure, None) for measure in item["measures"]}
    cells = {}
    for (feature, preprocess, method), means in match_means(item, rows).items():
        printed = paper_values.get((spec.paper_feature(feature), method), {})
        for measure, mean in means.items():
            paper_value = printed.get(measure.removeprefix(ONE_PROBE))
            verdict, limit = judge(mean.value, paper_value, mean.std)
            fit = None if mean.note else seconds.get((feature, preprocess, method))
            cells[feature, preprocess, method, measure] = Cell(
                mean.value,
                mean.std,
                paper_value,
                limit=limit,
                verdict=verdict,
                note=mean.note,
                behind=behind[measure].get((feature, preprocess, method), {}),
                facts={
                    "folds": mean.folds,
                    "fit_s": fit,
                    "paper_fit_s": printed.get("fit_s"),
                    "simulated": int(spec.simulated),
                },
            )
    _mark_best(cells)
    return cells


def _mark_best(cells):
    """The best method for a feature, a preprocessing and a measure, by what is printed."""
    columns = {}
    for (feature, preprocess, _, measure), cell in cells.items():
        if cell.value is not None:
            columns.setdefault((feature, preprocess, measure), []).append(cell)
    for column in columns.values():
        highest = max(round(cell.value, 2) for cell in column)
        for cell in column:
            cell.best = round(cell.value, 2) == highest


def _by_preprocess(table, run, item, cells):
    (measure,) = item["measures"]
    kinds = item["preprocess"]
    table.columns = [Column(kind, PREPROCESS[kind], paper="difference") for kind in kinds]
    papers = [Column("paper", "paper")] if item["paper"] else []
    table.columns += [*papers, SECONDS]
    spec = load_image_spec(item["images"])
    for feature in shown_features(item, cells):
        title, note = spec.feature_title(feature), spec.feature_note(feature)
        for method in item["methods"]:
            own = [cells[feature, kind, method, measure] for kind in kinds]
            line = [*own, *[Cell(paper=own[0].paper) for _ in papers], _seconds(own[-1])]
            first = method == item["methods"][0]
            titles = [title, run.title(method)]
            table.rows.append(Row([feature, method], titles, line, note=note, rule=first))
        for (other, method), printed in paper_rates(item).items():
            if other == feature and method in PAPER_ONLY:
                line = [*[Cell()] * len(kinds), Cell(paper=printed[measure]), Cell()]
                titles = [title, PAPER_ONLY[method]]
                table.rows.append(Row([feature, method], titles, line, note=PAPER_ONLY_NOTE))


def _by_measure(table, run, item, cells):
    table.columns = [
        Column(measure, measure_title(measure), paper="difference") for measure in item["measures"]
    ]
    table.columns.append(SECONDS)
    spec = load_image_spec(item["images"])
    for feature in shown_features(item, cells):
        title, note = spec.feature_title(feature), spec.feature_note(feature)
        for kind in item["preprocess"]:
            for method in item["methods"]:
                own = [cells[feature, kind, method, measure] for measure in item["measures"]]
                titles = [title, PREPROCESS[kind], run.title(method)]
                first = method == item["methods"][0]
                line = [*own, _seconds(own[0])]
                table.rows.append(Row([feature, kind, method], titles, line, note=note, rule=first))


def _seconds(cell):
    """The seconds of one fit, beside the paper's."""
    fit = cell.facts["fit_s"]
    note = (cell.note or "no times") if fit is None else None
    return Cell(fit, paper=cell.facts["paper_fit_s"], note=note)


def measure_title(measure):
    return measure.removeprefix(ONE_PROBE).replace("rank", "rank ")
