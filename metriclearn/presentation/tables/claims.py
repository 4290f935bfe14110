"""What the paper claims, what our rows say, and whether it holds."""

from ...analysis.behind import chosen_text
from ...analysis.chosen_by_test import nearest_to
from ...analysis.compared import (
    PROPOSED,
    compared_methods,
    our_results,
    paper_errors,
    protocol_results,
)
from ...analysis.error_rates import judge_error, printed_errors, read_paper_rows, value_at
from ...analysis.ranks import compare_ranks
from ...analysis.statistics import ALPHA, critical_difference
from ...analysis.verdict import RULE
from ...vision.spec import load_image_spec
from ..table import Cell, Column, Table
from ..words import listed
from ._common import (
    extra_methods_remark,
    paper_error_rows,
    paper_table_rows,
    protocol_remark,
    rows_and_grids,
    table_title,
)
from ._speed import AUTHORS, claim_row, speed_claims, time_remarks
from .matching import match_cells, measure_title, shown_features
from .pairwise_images import compare_jobs, folds_of
from .statistics import too_few

ERRORS_OF = ("euclidean", "pcml", "ncml")
NEAREST = (
    "Nearest: the error of a candidate of the grid that is nearest the paper's, with its "
    "parameters: what the paper may have used, if it did not take the best."
)


def inputs(run, name, item):
    """The files of the data sets, and the rows of every image set under its name."""
    images = {name: [run.collected(name)["rows"]] for name in run.matches.images()}
    group = item["group"]
    return {**rows_and_grids(run, name, item), **run.side.timings(group), **images}


def paper(run, item):
    tables = [paper_table_rows(run, table) for table in run.matches.tables.values()]
    errors = paper_error_rows(run, item)
    return [*errors, *[rows for rows in tables if rows], read_paper_rows(AUTHORS)]


def make(run, name, item, collected):
    paper_values, grid = paper_errors(run, item), collected.get("grid", [])
    every = list(run.methods)
    ours = our_results(run, item, collected["rows"], every)
    rows = error_rows(run, item, ours, paper_values)
    columns = [
        Column("paper", "Paper", words=True),
        Column("ours", "Ours", words=True),
        Column("holds", "Holds", words=True),
    ]
    rows += speed_claims(run, collected, list(paper_values.columns))
    for table_name, table in run.matches.tables.items():
        if table["paper"]:
            rows += best_match_rows(run, table_name, table, collected[table["images"]])
    if grid:
        found = protocol_results(run, grid, ours)
        add_protocol(columns, rows, error_rows(run, item, found, paper_values, grid))
    return Table(
        name,
        f"{table_title(run, name)}: what the paper claims, and whether it holds.",
        [Column("claim", "Claim", words=True)],
        columns,
        rows,
        remarks=[
            RULE,
            "Average rank: ties share the mean of their places; the paper's is computed by the "
            "same rule, from its errors of the same methods on the same data sets.",
            *protocol_remark(run, grid),
            *([NEAREST] if grid else []),
            *extra_methods_remark(run, item, "of the first comparison of ranks"),
            *time_remarks(run, collected),
        ],
    )


def error_rows(run, item, results, paper_values, grid=()):
    """The claims about errors; ``results`` are of all methods of the run.

    With rows of grids, what is not reproduced is named with the candidate that comes nearest.
    """
    compared = compared_methods(run, item)
    errors = printed_errors(results)
    rows = [reproduced_row(run, method, results, paper_values, grid) for method in ERRORS_OF]
    rows.append(ranks_row(run, errors.reindex(columns=compared), paper_values))
    extra = [run.title(method) for method in run.methods if method not in compared]
    if extra:
        row = ranks_row(run, errors, paper_values)
        row.keys[0] += "_every"
        row.titles[0] += f", {listed(extra)} among the methods"
        rows.append(row)
    return rows


def add_protocol(columns, rows, found):
    """Insert what the paper's protocol gives, where it says something, before ours."""
    columns[1:1] = [
        Column("protocol", "Ours by the paper's protocol", words=True),
        Column("protocol_holds", "Holds by it", words=True),
    ]
    by_claim = {row.keys[0]: row.cells[1:] for row in found}
    for row in rows:
        row.cells[1:1] = by_claim.get(row.keys[0], [Cell(), Cell()])


def reproduced_row(run, method, results, paper_values, grid=()):
    """On how many data sets the paper's error is reproduced, and on which not."""
    reproduced, others, not_judged = 0, {}, []
    for dataset, means in results.items():
        paper_value = value_at(paper_values, dataset, method)
        if method not in means or means[method].value is None or paper_value is None:
            continue
        fixed = run.datasets[dataset]["fixed"]
        _, verdict, _ = judge_error(means[method], paper_value, fixed=fixed)
        verdict = None if run.experiment["banner"] else verdict
        said = f"{run.dataset_title(dataset)} {means[method].value:.2f} ({paper_value:.2f})"
        if verdict is None:
            not_judged.append(said)
        elif verdict == "reproduced":
            reproduced += 1
        else:
            others[dataset, method] = said, paper_value
    total = reproduced + len(others)
    reason = "see below" if run.experiment["banner"] else "one repetition"
    nearest = nearest_to(grid, {key: paper_value for key, (_, paper_value) in others.items()})
    missed = [said + _nearest(*nearest.get(key, ("", None))) for key, (said, _) in others.items()]
    notes = {"not reproduced": missed, f"not judged, {reason}": not_judged}
    return claim_row(
        f"errors_{method}",
        f"The errors of {run.title(method)}",
        f"{total + len(not_judged)} data sets",
        f"{reproduced} of {total} reproduced",
        not others if total else None,
        "; ".join(f"{why}: {'; '.join(names)}" for why, names in notes.items() if names) or None,
        reproduced=reproduced,
        judged=total,
    )


def _nearest(candidate, error):
    parameters = chosen_text(candidate)
    return f", nearest {error:.2f} with {parameters}" if parameters else ""


def ranks_row(run, errors, paper_values):
    ranks, paper_ranks, n_datasets = compare_ranks(errors, paper_values)
    order = sorted(ranks, key=ranks.__getitem__)
    note = f"over {n_datasets} data sets on which every compared method has a result"
    if not too_few(n_datasets, len(ranks)):
        limit = critical_difference(n_datasets, len(ranks))
        note += f"; ranks that are less than {limit:.2f} apart do not differ (Nemenyi)"
    return claim_row(
        "best_ranks",
        "PCML and NCML have the two best average ranks",
        ", ".join(f"{run.title(m)} {paper_ranks[m]:.2f}" for m in PROPOSED if m in paper_ranks),
        ", ".join(f"{run.title(m)} {ranks[m]:.2f}" for m in order[:4]),
        set(order[:2]) == set(PROPOSED) if order else None,
        note,
    )


def best_match_rows(run, table_name, table, rows):
    """Who is best on an image set by its first measure, with the preprocessing chosen on it.

    Of the features that the paper has a rate for. The paper's best method is compared with the
    best one that the paper does not propose, to see whether chance explains their order.
    """
    title, measure, kind = run.matches.title(table), table["measures"][0], table["preprocess"][-1]
    spec, cells = load_image_spec(table["images"]), match_cells(run, table, rows)
    folds, made = folds_of(rows, measure), []
    for feature in shown_features(table, cells):
        own = {m: cells[feature, kind, m, measure] for m in table["methods"]}
        papers = sorted(((c.paper, m) for m, c in own.items() if c.paper is not None), reverse=True)
        ours = sorted(((c.value, m) for m, c in own.items() if c.value is not None), reverse=True)
        if not papers:
            continue
        best = papers[0][1]
        others = [method for _, method in ours if method not in (best, *PROPOSED)]
        note, facts = next(iter(own.values())).note, {}
        if others and own[best].value is not None:
            first, second = (folds[spec.name, feature, kind, m] for m in (best, others[0]))
            facts = compare_jobs(spec, first, second, measure)
            note = _difference(run.title(best), run.title(others[0]), **facts)
        made.append(
            claim_row(
                f"best_{table_name}_{feature}",
                f"The best on {title} ({spec.feature_title(feature)}, {measure_title(measure)})",
                _named(run, papers[:1]),
                _named(run, ours[:3]),
                ours[0][1] == best if ours else None,
                note,
                **{key: facts[key] for key in ("difference", "p") if key in facts},
            )
        )
    return made


def _difference(first, second, difference, p=None, **_):
    said = f"{first} minus {second}: {difference:+.2f} points"
    if p is None:
        return said
    differ = "" if p < ALPHA else ", they do not differ significantly"
    return f"{said}, p = {p:.2g}{differ} (corrected resampled t-test over the folds)"


def _named(run, entries):
    return ", ".join(f"{run.title(method)} {value:.2f}" for value, method in entries)
