"""Tables 3 and 5: error rates and average ranks, beside the paper's."""

from functools import partial

from ...analysis.compared import expected_folds
from ...analysis.error_rates import read_paper, summarise
from ...analysis.ranks import TIES, average_ranks, complete_part
from ..render import MINUS, Cell, Table, signed

COLUMNS = [
    "dataset",
    "title",
    "method",
    "folds",
    "error",
    "std",
    "paper",
    "difference",
    "best",
    "note",
]


def make_errors(run, caption, name, item, done):
    """The columns and rows of the table's csv, and the table."""
    chosen = {row["dataset"]: row for row in done["data"]}
    paper = read_paper(item["paper"]) if item["paper"] else {}
    methods = list(run.methods)
    results = summarise(done["rows"], chosen, methods, partial(expected_folds, run))
    printed = {
        d: {m: None if e["error"] is None else round(e["error"], 2) for m, e in entries.items()}
        for d, entries in results.items()
    }
    rows = []
    for dataset, facts in chosen.items():
        best = min((v for v in printed[dataset].values() if v is not None), default=None)
        for method in methods:
            entry = results[dataset][method]
            theirs = _number(paper.get(dataset, {}).get(method))
            both = entry["error"] is not None and theirs is not None
            rows.append(
                {
                    "dataset": dataset,
                    "title": facts["title"],
                    "method": method,
                    "folds": entry["folds"],
                    "error": entry["error"],
                    "std": entry["std"],
                    "paper": theirs,
                    "difference": entry["error"] - theirs if both else None,
                    "best": int(best is not None and printed[dataset][method] == best),
                    "note": entry["note"],
                }
            )
    compared = [m for m in methods if not paper or m in next(iter(paper.values()))]
    ranked = complete_part({d: {m: v[m] for m in compared} for d, v in printed.items()})
    for ties in TIES:
        ours = average_ranks(ranked, ties)
        theirs = average_ranks(_same_part(paper, ranked), ties)
        low = min((r for r in ours.values() if r is not None), default=None)
        for method in methods:
            rank, other = ours.get(method), theirs.get(method)
            rows.append(
                {
                    "dataset": f"rank_{ties}",
                    "title": f"Average rank ({ties})",
                    "method": method,
                    "folds": len(ranked),
                    "error": rank,
                    "paper": other,
                    "difference": rank - other if rank is not None and other is not None else None,
                    "best": int(rank is not None and rank == low),
                }
            )
    return COLUMNS, rows, errors_table(run, caption, name, rows, ranked, chosen)


def errors_table(run, caption, name, rows, ranked, chosen):
    titles = [run.methods[m]["title"] for m in run.methods]
    table = Table(
        f"{caption}: 1-NN error rate (%), ours and the paper's.",
        f"tab:{name}",
        ["Data set", "", *titles],
    )
    for key in dict.fromkeys(row["dataset"] for row in rows):
        group = [row for row in rows if row["dataset"] == key]
        table.rules.add(len(table.body))
        ours = [
            Cell(_percent(r["error"]) or MINUS, bold=bool(r["best"]), note=r.get("note"))
            for r in group
        ]
        table.body.append([Cell(group[0]["title"]), Cell("ours"), *ours])
        if any(r["paper"] is not None for r in group):
            table.body.append([Cell(), Cell("paper"), *[Cell(_percent(r["paper"])) for r in group]])
            difference = [Cell(_percent(r["difference"], sign=True)) for r in group]
            table.body.append([Cell(), Cell("difference"), *difference])
    protocol = run.protocol
    used = protocol["use_folds"]
    part = "" if used is None else f" (only the first {used} folds of each)"
    table.rules.discard(0)
    table.remarks.append(
        f"Fixed splits where the paper has them, else {protocol['repeats']} × "
        f"{protocol['folds']}-fold cross-validation{part}; parameters chosen on the training part "
        f"(tuning: {run.config['tuning']['kind']}). Best of ours in bold. {MINUS} marks a hole."
    )
    table.remarks.append(
        "Average rank: ties share the smaller rank (min, the paper's rule) or the mean of their "
        f"places (average); ours over {len(ranked)} of {len(chosen)} data sets, those on which "
        "every method of the paper with results has one; the paper's from its columns for the "
        "same data sets and methods."
    )
    return table


def _percent(value, sign=False):
    if value is None:
        return ""
    return signed(value) if sign else f"{value:.2f}"


def _number(text):
    return float(text) if text else None


def _same_part(paper, ranked):
    """The paper's errors on the data sets and methods that we rank, so that ranks compare."""
    return {
        d: {m: _number(paper[d].get(m)) for m in values}
        for d, values in ranked.items()
        if d in paper
    }
