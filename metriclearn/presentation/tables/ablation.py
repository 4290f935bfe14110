"""What a choice matters: the same methods under several settings, data set by data set."""

from ...analysis.compared import paper_errors
from ...analysis.error_rates import mean_and_std
from ..render import BRACKETS, MINUS, Cell, Table, signed

VARIANT_COLUMNS = [
    "dataset",
    "title",
    "method",
    "variant",
    "folds",
    "error",
    "std",
    "difference",
    "best",
    "paper",
    "fit_cpu_s",
    "note",
]
STOPPING_COLUMNS = [
    "dataset",
    "title",
    "method",
    "rule",
    "folds",
    "iterations",
    "relative_gap",
    "error",
    "std",
    "fit_cpu_s",
    "note",
]
PAPER = "the paper's"  # no variant has this name
RULES = {"paper": "the paper's rule", "certified": "certified gap"}


def make_variants(run, caption, name, item, done):
    """The columns and rows of the table's csv, and the table."""
    rows = variant_rows(run, item, done["rows"], done["times"])
    return VARIANT_COLUMNS, rows, variant_table(run, caption, name, item, rows)


def variant_rows(run, item, rows, times):
    """One row per data set, method and variant, compared with the first one of its group.

    Rows ``mean`` are over the data sets on which every column of the table has a result.
    """
    paper, groups = paper_errors(run, {"group": "all"}), column_groups(item)
    found = [
        [
            [_variant(run, dataset, m, v, rows, times) for m, v in group]
            for dataset in item["datasets"]
        ]
        for group in groups
    ]
    whole = [
        i
        for i in range(len(item["datasets"]))
        if all(entry["error"] is not None for part in found for entry in part[i])
    ]
    out = []
    for group, part in zip(groups, found, strict=True):
        for entries in part:
            for entry in entries:
                entry["paper"] = paper.get(entry["dataset"], {}).get(entry["method"])
            out += _compared(entries)
        if whole and len(item["datasets"]) > 1:
            out += _compared(
                [
                    {
                        "dataset": "mean",
                        "title": f"Mean of {len(whole)}",
                        "method": method,
                        "variant": variant,
                        "error": sum(part[i][c]["error"] for i in whole) / len(whole),
                    }
                    for c, (method, variant) in enumerate(group)
                ]
            )
    return out


def column_groups(item):
    """(method, variant) of the columns that are compared: a method's variants; with one variant,
    the methods."""
    groups = [[(method, variant) for variant in item["variants"]] for method in item["methods"]]
    return groups if len(item["variants"]) > 1 else [[key for group in groups for key in group]]


def _variant(run, dataset, method, variant, rows, times):
    def mine(row):
        return (row["dataset"], row["method"], row["variant"]) == (dataset, method, variant)

    seconds = [float(t["fit_cpu_s"]) for t in times if mine(t) and t["fit_cpu_s"]]
    return {
        "dataset": dataset,
        "title": run.dataset_title(dataset),
        "method": method,
        "variant": variant,
        **mean_and_std([row for row in rows if mine(row)]),
        "fit_cpu_s": sum(seconds) / len(seconds) if seconds else None,
    }


def _compared(entries):
    known = [round(e["error"], 2) for e in entries if e["error"] is not None]
    base = entries[0]["error"]
    for entry in entries:
        error = entry["error"]
        entry["best"] = int(error is not None and round(error, 2) == min(known))
        if entry is not entries[0] and error is not None and base is not None:
            entry["difference"] = error - base
    return entries


def variant_table(run, caption, name, item, rows):
    """Variants side by side, and the paper's error after those of a method."""
    single = len(item["variants"]) == 1
    columns, titles = [], []
    for group in column_groups(item):
        columns += group
        titles += [run.title(m) if single else f"{run.title(m)}, {v}" for m, v in group]
        method = group[0][0]
        if any(row.get("paper") is not None for row in rows if row["method"] == method):
            columns.append((method, PAPER))
            titles.append(f"{run.title(method)}, paper")
    table = Table(
        f"{caption}: {item['title']}, 1-NN error rate (%).", f"tab:{name}", ["Data set", *titles]
    )
    found = {(r["dataset"], r["method"], r["variant"]): _error_cell(r) for r in rows}
    found |= {(r["dataset"], r["method"], PAPER): _paper_cell(r) for r in rows}
    for dataset in dict.fromkeys(row["dataset"] for row in rows):
        if dataset == "mean":
            table.rules.add(len(table.body))
        title = next(r["title"] for r in rows if r["dataset"] == dataset)
        cells = [found.get((dataset, *column), Cell(MINUS)) for column in columns]
        table.body.append([Cell(title), *cells])
    table.remarks.append(
        "All else as in Tables 3 and 5, parameters tuned on the training part unless set; "
        f"{_repetitions(item)}. Best {'in' if single else 'per method in'} bold."
    )
    table.remarks.append(f"{BRACKETS}the difference to {titles[0] if single else columns[0][1]}.")
    return table


def _repetitions(item):
    return f"{item['repeats']} repetition{'s' * (item['repeats'] > 1)} of the folds"


def _paper_cell(row):
    return Cell("" if row.get("paper") is None else f"{row['paper']:.2f}")


def _error_cell(row):
    if row["error"] is None:
        return Cell(MINUS, note=row["note"])
    difference = row.get("difference")
    text = f"{row['error']:.2f}"
    if difference is not None:
        text += f" ({signed(difference)})"
    return Cell(text, bold=bool(row["best"]))


def make_stopping(run, caption, name, item, done):
    """The columns and rows of the table's csv, and the table."""
    rows = stopping_rows(run, item, done["rows"], done["times"])
    return STOPPING_COLUMNS, rows, stopping_table(run, caption, name, item, rows)


def stopping_rows(run, item, rows, times):
    """One row per data set, method and stopping rule, means over the folds."""
    out = []
    for dataset in item["datasets"]:
        for method in item["methods"]:
            for rule in RULES:
                mine, spent = (
                    [
                        row
                        for row in part
                        if (row["dataset"], row["method"]) == (dataset, method)
                        and row["rule"] in (rule, "")
                    ]
                    for part in (rows, times)
                )
                entry = {
                    "dataset": dataset,
                    "title": run.dataset_title(dataset),
                    "method": method,
                    "rule": rule,
                    **mean_and_std(mine),
                }
                if entry["error"] is not None:
                    for key, part in (
                        ("iterations", mine),
                        ("relative_gap", mine),
                        ("fit_cpu_s", spent),
                    ):
                        entry[key] = sum(float(row[key]) for row in part) / len(part)
                out.append(entry)
    return out


def stopping_table(run, caption, name, item, rows):
    header = [
        "Data set",
        "Method",
        "Stopped by",
        "iterations",
        "relative gap",
        "error (%)",
        "fit (s)",
    ]
    table = Table(f"{caption}: {item['title']}.", f"tab:{name}", header)
    for row in rows:
        if row["rule"] == "paper":
            table.rules.add(len(table.body))
        cells = [Cell(row["title"]), Cell(run.title(row["method"])), Cell(RULES[row["rule"]])]
        if row["error"] is None:
            cells += [Cell(MINUS, note=row["note"]), *[Cell(MINUS)] * 3]
        else:
            cells += [
                Cell(f"{row['iterations']:.1f}"),
                Cell(f"{row['relative_gap']:.1e}"),
                Cell(f"{row['error']:.2f}"),
                Cell(f"{row['fit_cpu_s']:.3g}"),
            ]
        table.body.append(cells)
    table.rules.discard(0)
    table.remarks.append(
        f"C = {item['C']:g}, k = {item['k']}. The paper's rule is its alternation on LibSVM, "
        "stopped when its formula for the gap falls below 0.01 of the first one; the other is the "
        "fast solver with a certified relative gap of 1e-3. The gaps shown are true ones."
    )
    return table
