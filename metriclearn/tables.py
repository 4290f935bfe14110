"""Stage 6: the paper's tables from our rows, beside the paper's numbers.

    python -m metriclearn.tables table3 --experiment paper

Each comes as a tidy csv, and as Markdown and LaTeX made from that csv's content.
"""

from functools import partial

from .pipeline.ablation_table import (
    STOPPING_COLUMNS,
    VARIANT_COLUMNS,
    stopping_rows,
    stopping_table,
    variant_rows,
    variant_table,
)
from .pipeline.claims_table import CLAIM_COLUMNS, claim_rows, claim_table
from .pipeline.command import run_command
from .pipeline.compared import expected_folds
from .pipeline.errors_table import read_paper, summarise
from .pipeline.headline_table import HEADLINE_COLUMNS, headline_rows, headline_table
from .pipeline.items import find_item
from .pipeline.match_table import COLUMNS as MATCH_COLUMNS
from .pipeline.match_table import match_rows, match_table
from .pipeline.pairwise_table import make_pairwise
from .pipeline.ranks import TIES, average_ranks, complete_part
from .pipeline.render import MINUS, Cell, Table, latex, markdown, signed
from .pipeline.statistics_table import make_statistics
from .pipeline.store import read_all, write_rows, write_text

DATA_COLUMNS = ["dataset", "title", "quantity", "ours", "paper", "difference", "note"]
ERROR_COLUMNS = ["dataset", "title", "method", "folds", "error", "std", "paper", "difference",
                 "best", "note"]  # fmt: skip
QUANTITIES = {
    "n_train": "training samples",
    "n_test": "test samples",
    "n_features": "features",
    "pca": "PCA dimension",
    "n_classes": "classes",
}


def make_table(run, name):
    """Write results/<run>/tables/<name>.csv, .md and .tex."""
    item = find_item(run.experiment, "tables", name)
    columns, rows, table = _make(run, name, item)
    base = f"results/{run.name}/tables/{name}"
    write_text(f"{base}.md", markdown(table))
    write_text(f"{base}.tex", latex(table))
    write_rows(f"{base}.csv", columns, rows)
    print(f"{base}.md, .tex, .csv")
    return rows


def _make(run, name, item):
    caption, rows = _caption(run, name), read_all(run.table_inputs(name))
    if item["kind"] == "matching":
        made = match_rows(run, item, rows["rows"], rows["times"])
        return MATCH_COLUMNS, made, match_table(run, caption, name, item, made)
    if item["kind"] == "claims":
        made = claim_rows(run, item, rows)
        return CLAIM_COLUMNS, made, claim_table(caption, name, made)
    if item["kind"] == "headline":
        made = headline_rows(run, item, rows["rows"])
        return HEADLINE_COLUMNS, made, headline_table(run, caption, name, made)
    if make := {"statistics": make_statistics, "pairwise": make_pairwise}.get(item["kind"]):
        return make(run, caption, name, item, rows["rows"])
    if item["kind"] == "variants":
        made = variant_rows(run, item, rows["rows"], rows["times"])
        return VARIANT_COLUMNS, made, variant_table(run, caption, name, item, made)
    if item["kind"] == "stopping":
        made = stopping_rows(run, item, rows["rows"], rows["times"])
        return STOPPING_COLUMNS, made, stopping_table(run, caption, name, item, made)
    paper = read_paper(item["paper"]) if item["paper"] else {}
    data = {row["dataset"]: row for row in rows["data"]}
    if item["kind"] == "datasets":
        return _datasets(run, name, data, paper)
    return _errors(run, name, data, paper, rows["rows"])


def _datasets(run, name, chosen, paper):
    pca = any(facts["pca"] for facts in chosen.values())
    quantities = {key: text for key, text in QUANTITIES.items() if pca or key != "pca"}
    rows = []
    for dataset, facts in chosen.items():
        there = facts["status"] == "ok"
        for key, text in quantities.items():
            theirs = paper.get(dataset, {}).get(key) or None
            value = int(facts[key]) if there and facts[key] else None
            rows.append({
                "dataset": dataset, "title": facts["title"], "quantity": text, "ours": value,
                "paper": theirs,
                "difference": value - int(theirs) if value is not None and theirs else None,
                "note": facts["message"] or None,
            })  # fmt: skip
    table = Table(f"{_caption(run, name)}: the data sets, counted from the data.",
                  f"tab:{name}", ["Data set", *quantities.values()])  # fmt: skip
    for dataset, facts in chosen.items():
        cells = [Cell(facts["title"], note=facts["message"] or None)]
        for row in (row for row in rows if row["dataset"] == dataset):
            text = "" if row["ours"] is None else f"{row['ours']:,}"
            if facts["status"] != "ok":
                text = MINUS if row["paper"] is None else f"({int(row['paper']):,})"
            elif row["difference"]:
                text += f" (paper {int(row['paper']):,})"
            cells.append(Cell(text or "none"))
        table.body.append(cells)
    table.remarks.append(
        "Cross-validated data sets: the sizes of the smallest fold and of the rest, as the paper "
        "counts. In brackets: the paper's number, where ours differs or the data are missing."
    )
    return DATA_COLUMNS, rows, table


def _errors(run, name, chosen, paper, all_rows):
    methods = list(run.methods)
    results = summarise(all_rows, chosen, methods, partial(expected_folds, run))
    printed = {d: {m: None if e["error"] is None else round(e["error"], 2)
                   for m, e in entries.items()} for d, entries in results.items()}  # fmt: skip
    rows = []
    for dataset, facts in chosen.items():
        best = min((v for v in printed[dataset].values() if v is not None), default=None)
        for method in methods:
            entry = results[dataset][method]
            theirs = _number(paper.get(dataset, {}).get(method))
            both = entry["error"] is not None and theirs is not None
            rows.append({
                "dataset": dataset, "title": facts["title"], "method": method,
                "folds": entry["folds"], "error": entry["error"], "std": entry["std"],
                "paper": theirs, "difference": entry["error"] - theirs if both else None,
                "best": int(best is not None and printed[dataset][method] == best),
                "note": entry["note"],
            })  # fmt: skip
    compared = [m for m in methods if not paper or m in next(iter(paper.values()))]
    ranked = complete_part({d: {m: v[m] for m in compared} for d, v in printed.items()})
    for ties in TIES:
        ours = average_ranks(ranked, ties)
        theirs = average_ranks(_same_part(paper, ranked), ties)
        low = min((r for r in ours.values() if r is not None), default=None)
        for method in methods:
            rank, other = ours.get(method), theirs.get(method)
            rows.append({
                "dataset": f"rank_{ties}", "title": f"Average rank ({ties})", "method": method,
                "folds": len(ranked), "error": rank, "paper": other,
                "difference": rank - other if rank is not None and other is not None else None,
                "best": int(rank is not None and rank == low),
            })  # fmt: skip
    return ERROR_COLUMNS, rows, _errors_table(run, name, rows, ranked, chosen)


def _errors_table(run, name, rows, ranked, chosen):
    titles = [run.methods[m]["title"] for m in run.methods]
    table = Table(f"{_caption(run, name)}: 1-NN error rate (%), ours and the paper's.",
                  f"tab:{name}", ["Data set", "", *titles])  # fmt: skip
    for key in dict.fromkeys(row["dataset"] for row in rows):
        group = [row for row in rows if row["dataset"] == key]
        table.rules.add(len(table.body))
        ours = [Cell(_percent(r["error"]) or MINUS, bold=bool(r["best"]), note=r.get("note"))
                for r in group]  # fmt: skip
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


def _caption(run, name):
    number = name.removeprefix("table")
    title = f"Table {number}" if number.isdigit() else name.replace("_", " ").capitalize()
    return title if run.name == "paper" else f"{title} (run {run.name})"


def _percent(value, sign=False):
    if value is None:
        return ""
    return signed(value) if sign else f"{value:.2f}"


def _number(text):
    return float(text) if text else None


def _same_part(paper, ranked):
    """The paper's errors on the data sets and methods that we rank, so that ranks compare."""
    return {d: {m: _number(paper[d].get(m)) for m in values} for d, values in ranked.items()
            if d in paper}  # fmt: skip


if __name__ == "__main__":
    run_command("tables", __doc__, make_table)
