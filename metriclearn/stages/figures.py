"""Stage 7: the paper's figures from our rows, as SVG, PDF and PNG, each with its csv beside it.

metriclearn figures figure3 --experiment paper
"""

import io

from ..experiment.items import find_item
from ..files.atomic import write_atomically
from ..files.store import read_all, write_rows
from ..presentation.figures.curves import draw_curves
from ..presentation.figures.draw import draw_gap, draw_hole, draw_sweep, draw_times
from ..presentation.figures.ranks import make_ranks
from .cli import run_command

# Times are those of the processor, so that jobs that run side by side can be compared.
SWEEP_COLUMNS = [
    "dataset",
    "method",
    "title",
    "key",
    "value",
    "folds",
    "error",
    "fit_cpu_s",
    "fit_cpu_s_low",
    "fit_cpu_s_high",
    "status",
    "message",
]
TIME_COLUMNS = [
    "dataset",
    "title",
    "method",
    "method_title",
    "folds",
    "fit_cpu_s",
    "status",
    "message",
]
CURVE_COLUMNS = [
    "images",
    "feature",
    "preprocess",
    "method",
    "title",
    "status",
    "message",
    "kind",
    "folds",
    "legend",
    "auc",
    "eer",
    "x",
    "y",
    "std",
]


def make_figure(run, name):
    """Write figures/<run>/<name>.csv, .svg, .pdf and .png."""
    columns, rows, draw = figure_content(run, name)
    base = f"figures/{run.name}/{name}"
    save(draw(rows), base)
    write_rows(f"{base}.csv", columns, rows)
    return rows


def figure_content(run, name):
    """The columns and rows of a figure's csv, and what draws them."""
    item = find_item(run.experiment, "figures", name)
    make = {"gap": _gap, "sweep": _sweep, "times": _times, "curves": _curves, "ranks": make_ranks}[
        item["kind"]
    ]
    return make(run, name, item)


def save(figure, base):
    """The same picture in three formats, without dates, so that equal rows give equal files."""
    from pathlib import Path

    import matplotlib

    matplotlib.rcParams["svg.hashsalt"] = "metriclearn"
    stamps = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {"Software": None}}
    for end, metadata in stamps.items():
        buffer = io.BytesIO()
        figure.savefig(buffer, format=end, metadata=metadata, dpi=200)
        write_atomically(Path(f"{base}.{end}"), buffer.getvalue())


def _gap(run, name, item):
    from .gap import COLUMNS

    rows = read_all(run.figure_inputs(name))["rows"]
    title = run.dataset_title(item["dataset"])
    hole = next((row for row in rows if row["status"] != "ok"), None)
    if hole:
        return COLUMNS, rows, lambda rows: draw_hole(title, hole["message"])
    return COLUMNS, rows, lambda rows: draw_gap(rows, title, run.methods_titles())


def _sweep(run, name, item):
    done, rows = read_all(run.figure_inputs(name)), []
    for method in item["methods"]:
        mine = {
            kind: [row for row in part if row["method"] == method] for kind, part in done.items()
        }
        rows += _sweep_means(item, run.title(method), mine["rows"], mine["times"])
    title = run.dataset_title(item["dataset"])
    if not any(row["status"] == "ok" for row in rows):
        return SWEEP_COLUMNS, rows, lambda rows: draw_hole(title, rows[0]["message"])
    measure = "fit_cpu_s" if item["key"] == "protocol.pca" else "error"
    return SWEEP_COLUMNS, rows, lambda rows: draw_sweep(rows, title, item["key"], measure)


def _sweep_means(item, title, rows, times):
    for value in item["values"]:
        here = [row for row in rows if row["value"] == str(value)]
        if not here:
            continue
        bad = [row for row in here if row["status"] != "ok"]
        out = {key: here[0][key] for key in ("dataset", "method", "key", "value")}
        out.update(title=title, folds=len(here), status="ok", message="")
        if bad:
            out.update(status=bad[0]["status"], message=bad[0]["message"])
        else:
            seconds = sorted(float(t["fit_cpu_s"]) for t in times if t["value"] == str(value))
            out["error"] = 100.0 * sum(float(row["error"]) for row in here) / len(here)
            out.update(
                fit_cpu_s=seconds[len(seconds) // 2],
                fit_cpu_s_low=seconds[0],
                fit_cpu_s_high=seconds[-1],
            )
        yield out


def _times(run, name, item):
    done = read_all(run.figure_inputs(name))
    groups = {row["dataset"]: row for row in done["data"]}
    status = {}
    for row in done["rows"]:
        if row["status"] != "ok":
            status.setdefault((row["dataset"], row["method"]), row)
    seconds = {}
    for row in done["times"]:
        if row["fit_cpu_s"]:
            seconds.setdefault((row["dataset"], row["method"]), []).append(float(row["fit_cpu_s"]))
    rows = []
    for dataset, facts in groups.items():
        for method in run.methods:
            if method == "euclidean":
                continue
            key = dataset, method
            row = {
                "dataset": dataset,
                "title": facts["title"],
                "method": method,
                "method_title": run.title(method),
                "status": "ok",
                "message": "",
            }
            if key in status:
                row.update(status=status[key]["status"], message=status[key]["message"])
            elif key in seconds:
                row.update(folds=len(seconds[key]), fit_cpu_s=sum(seconds[key]) / len(seconds[key]))
            rows.append(row)
    if not any(row.get("fit_cpu_s") for row in rows):
        return TIME_COLUMNS, rows, lambda rows: draw_hole("Training time", "no results")
    return TIME_COLUMNS, rows, lambda rows: draw_times(rows, run.protocol["threads"])


def _curves(run, name, item):
    """The mean ROC or CMC of each method over the folds of a matching table's jobs."""
    table = run.experiment["tables"][item["table"]]
    facts = run.matches.facts(table["images"])
    done, rows = read_all(run.figure_inputs(name)), []
    for job in run.matches.jobs(item["table"]):
        if job[2] == (item["preprocess"] or table["preprocess"][-1]):
            rows += mean_curve(
                job, run.title(job[3]), *(_of(job, done[k]) for k in ("rows", "curve"))
            )
    kind = "roc" if facts["task"] == "verification" else "cmc"
    if not any(row["status"] == "ok" for row in rows):
        return CURVE_COLUMNS, rows, lambda rows: draw_hole(facts["title"], rows[0]["message"])
    shown = [row for row in rows if _panel_has_results(rows, row["feature"])]
    return CURVE_COLUMNS, rows, lambda _: draw_curves(shown, facts["title"], kind)


def _of(job, rows):
    keys = ("images", "feature", "preprocess", "method")
    return [row for row in rows if tuple(row[key] for key in keys) == job]


def _panel_has_results(rows, feature):
    return any(row["status"] == "ok" for row in rows if row["feature"] == feature)


def mean_curve(job, title, rows, points):
    """The points of one method's mean curve; one row with the reason where there is none."""
    images, feature, preprocess, method = job
    head = {
        "images": images,
        "feature": feature,
        "preprocess": preprocess,
        "method": method,
        "title": title,
    }
    bad = [row for row in rows if row["status"] != "ok"]
    if bad:
        return [{**head, "status": bad[0]["status"], "message": bad[0]["message"]}]
    verification = points[0]["kind"] == "roc"
    number = _mean([float(row["accuracy" if verification else "rank1"]) for row in rows])
    head.update(
        status="ok",
        message="",
        kind=points[0]["kind"],
        folds=len(rows),
        legend=f"{100.0 * number:.1f} %",
    )
    if verification:
        head.update(
            auc=_mean([float(r["auc"]) for r in rows]), eer=_mean([float(r["eer"]) for r in rows])
        )
    values = {}
    for point in points:
        values.setdefault(float(point["x"]), []).append(float(point["y"]))
    return [{**head, "x": x, "y": _mean(ys), "std": _deviation(ys)} for x, ys in values.items()]


def _mean(values):
    return sum(values) / len(values)


def _deviation(values):
    if len(values) < 2:
        return None
    mean = _mean(values)
    return (sum((v - mean) ** 2 for v in values) / (len(values) - 1)) ** 0.5


def command(run, name):
    """Make it and say where it lies."""
    make_figure(run, name)
    print(f"figures/{run.name}/{name}.svg, .pdf, .png, .csv")


def main():
    run_command("figures", __doc__, command)
