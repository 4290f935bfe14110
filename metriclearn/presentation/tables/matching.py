"""Tables 6 to 9: accuracies or ranks of the methods on an image set, beside the paper's."""

from ...analysis.error_rates import read_paper_rows
from ..render import BRACKETS, MINUS, Cell, Table, signed

COLUMNS = [
    "images",
    "feature",
    "preprocess",
    "method",
    "measure",
    "folds",
    "ours",
    "std",
    "paper",
    "difference",
    "best",
    "fit_s",
    "paper_fit_s",
    "simulated",
    "note",
]
MEASURES = {"accuracy": "verification accuracy (%)", "rank": "recognition rate (%) at ranks"}
PREPROCESS = {
    "plain": "PCA",
    "whiten": "whitened",
    "whiten_unit": "whitened, unit norm",
    "chosen": "chosen",
}
PAPER_ONLY = {"attribute_classifiers": "Attribute Classifiers"}


def make_matching(run, caption, name, item, done):
    """The columns and rows of the table's csv, and the table."""
    rows = match_rows(run, item, done["rows"], done["times"])
    return COLUMNS, rows, match_table(run, caption, name, item, rows)


def match_rows(run, item, rows, times):
    """The rows of the table's csv, from the rows and times of its image set."""
    jobs = {
        (item["images"], feature, preprocess, method): ([], [])
        for feature in item["features"]
        for preprocess in item["preprocess"]
        for method in item["methods"]
    }
    for kind, part in enumerate((rows, times)):
        for row in part:
            job = tuple(row[key] for key in ("images", "feature", "preprocess", "method"))
            if job in jobs:
                jobs[job][kind].append(row)
    paper = {(row["feature"], row["method"]): row for row in _paper(item)}
    facts = run.matches.facts(item["images"])
    out = []
    for feature in item["features"]:
        for preprocess in item["preprocess"]:
            part = [
                row
                for method in item["methods"]
                for row in _method_rows(item, feature, preprocess, method, jobs, paper)
            ]
            for measure in item["measures"]:
                here = [row for row in part if row["measure"] == measure]
                values = [round(r["ours"], 2) for r in here if r["ours"] is not None]
                for row in here:
                    best = row["ours"] is not None and round(row["ours"], 2) == max(values)
                    row.update(best=int(best), simulated=int(facts["simulated"]))
            out += part
    for (feature, method), row in paper.items():
        if method in PAPER_ONLY:
            out += [
                {
                    "images": item["images"],
                    "feature": feature,
                    "method": method,
                    "measure": m,
                    "paper": _number(row[m]),
                    "best": 0,
                    "note": "the paper's number; not a metric learning method",
                }
                for m in item["measures"]
            ]
    return out


def _paper(item):
    return read_paper_rows(item["paper"]) if item["paper"] else []


def _method_rows(item, feature, preprocess, method, jobs, paper):
    rows, times = jobs[item["images"], feature, preprocess, method]
    theirs = paper.get((feature, method), {})
    bad = [row for row in rows if row["status"] != "ok"]
    note = f"{bad[0]['status']}: {bad[0]['message']}" if bad else None
    if bad and len(bad) < len(rows):
        note = f"{len(bad)} of {len(rows)} folds {note}"
    seconds = [float(t["fit_s"]) for t in times if t["fit_s"]]
    for measure in item["measures"]:
        values = [] if bad else [100.0 * float(row[measure]) for row in rows]
        ours = sum(values) / len(values) if values else None
        std = None
        if ours is not None and len(values) > 1:
            std = (sum((v - ours) ** 2 for v in values) / (len(values) - 1)) ** 0.5
        printed = _number(theirs.get(measure))
        both = ours is not None and printed is not None
        yield {
            "images": item["images"],
            "feature": feature,
            "preprocess": preprocess,
            "method": method,
            "measure": measure,
            "folds": len(rows) - len(bad),
            "ours": ours,
            "std": std,
            "paper": printed,
            "difference": ours - printed if both else None,
            "fit_s": sum(seconds) / len(seconds) if seconds and not bad else None,
            "paper_fit_s": _number(theirs.get("fit_s")),
            "note": note,
        }


def match_table(run, caption, name, item, rows):
    """The rows as a table of text: preprocessings side by side, or ranks side by side."""
    facts = run.matches.facts(item["images"])
    kind = "accuracy" if item["measures"] == ["accuracy"] else "rank"
    title = f"{caption}: {MEASURES[kind]} on {facts['title']}."
    make = _by_preprocess if kind == "accuracy" else _by_rank
    table = make(run, title, name, item, rows)
    table.remarks.append(
        "Mean of ours over the folds. Best of ours in each column in bold. All methods get the "
        "same preprocessing: PCA alone; whitened by the similar training pairs; the same with unit "
        "norm; or the one of the three that is best on the training part. Parameters are chosen "
        f"on the training part. {MINUS} marks a hole."
    )
    if item["paper"]:
        table.remarks.append(f"{BRACKETS}the difference to the paper.")
    if facts["simulated"]:
        table.remarks.append("Simulated data: not to be compared with the paper.")
    return table


def _title(run, method):
    return PAPER_ONLY.get(method) or run.title(method)


def _value(row, bold=None):
    if row is None or row["ours"] is None:
        return Cell(MINUS, note=row["note"] if row else None)
    text = f"{row['ours']:.2f}"
    if row["difference"] is not None:
        text += f" ({signed(row['difference'])})"
    return Cell(text, bold=bool(row["best"]) if bold is None else bold)


def _seconds(value):
    return "" if value is None else f"{value:.3g}"


def _by_preprocess(run, title, name, item, rows):
    kinds = item["preprocess"]
    header = ["Feature", "Method", *[PREPROCESS[k] for k in kinds], "fit (s)"]
    header += ["paper", "paper's fit (s)"] if item["paper"] else []
    table = Table(title, f"tab:{name}", header)
    for feature in item["features"]:
        table.rules.add(len(table.body))
        for method in dict.fromkeys(r["method"] for r in rows if r["feature"] == feature):
            own = [r for r in rows if (r["feature"], r["method"]) == (feature, method)]
            found = {r.get("preprocess"): r for r in own}
            shown = "" if own[0]["paper"] is None else f"{own[0]['paper']:.2f}"
            last = found.get(kinds[-1]) or {}
            note = own[0]["note"] if method in PAPER_ONLY else None
            cells = [Cell(feature), Cell(_title(run, method), note=note)]
            cells += [Cell() if note else _value(found.get(k)) for k in kinds]
            cells.append(Cell(_seconds(last.get("fit_s"))))
            cells += [Cell(shown), Cell(_seconds(own[0].get("paper_fit_s")))]
            table.body.append(cells[: len(header)])
    table.rules.discard(0)
    return table


def _by_rank(run, title, name, item, rows):
    header = [
        "Feature",
        "Preprocessing",
        "Method",
        *[m.removeprefix("rank") for m in item["measures"]],
        "fit (s)",
    ]
    header += ["paper's fit (s)"] if item["paper"] else []
    table = Table(title, f"tab:{name}", header)
    for feature in item["features"]:
        for kind in item["preprocess"]:
            table.rules.add(len(table.body))
            for method in item["methods"]:
                found = {
                    r["measure"]: r
                    for r in rows
                    if (r["feature"], r.get("preprocess"), r["method"]) == (feature, kind, method)
                }
                first = found[item["measures"][0]]
                cells = [Cell(feature), Cell(PREPROCESS[kind]), Cell(_title(run, method))]
                cells += [_value(found[m]) for m in item["measures"]]
                cells += [Cell(_seconds(first["fit_s"])), Cell(_seconds(first["paper_fit_s"]))]
                table.body.append(cells[: len(header)])
    table.rules.discard(0)
    return table


def _number(text):
    return float(text) if text else None
