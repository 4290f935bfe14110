"""PCML and NCML against each other method on faces and persons: corrected t-tests over folds."""

from itertools import product

import pandas as pd

from ...analysis.statistics import ALPHA
from ...vision.spec import load_image_spec
from ..words import PREPROCESS
from ._common import missing_remark, table_title
from .matching import left_out, match_cells, measure_title, shown_features
from .pairwise import (
    common_reason,
    compare,
    corrected,
    pairwise_table,
    proposed_pairs,
    sizes_ratio,
)

JOB = ["images", "feature", "preprocess", "method"]
HALVES = 1.0  # persons are split in halves: as many to test on as to learn from


def inputs(run, name, item):
    """The rows of the image set of each table, under its name."""
    sets = dict.fromkeys(run.experiment["tables"][table]["images"] for table in item["tables"])
    return {images: [run.collected(images)["rows"]] for images in sets}


def make(run, name, item, collected):
    """Differences of the first measure of each table, and how many are wins, ties and losses."""
    titles, notes, rows, absent = run.methods_titles(), {}, [], []
    for table_name in item["tables"]:
        table = run.experiment["tables"][table_name]
        own = collected[table["images"]]
        spec, measure = load_image_spec(table["images"]), table["measures"][0]
        cells, folds = match_cells(run, table, own), folds_of(own, measure)
        absent += left_out(table, cells)
        for feature, kind in product(shown_features(table, cells), item["preprocess"]):
            key = f"{table_name}_{feature}_{kind}"
            of = f"{spec.title}, {spec.feature_title(feature)}, {PREPROCESS[kind]}"
            titles[key] = f"{of}: {measure_title(measure)}"
            notes[key] = spec.feature_note(feature)
            of_method = {m: folds.get((spec.name, feature, kind, m)) for m in table["methods"]}
            reasons = {m: cells[feature, kind, m, measure].note for m in table["methods"]}
            family = _family(of_method, reasons, spec, measure, titles)
            rows += corrected([{"dataset": key, **row} for row in family], True)
    made = pairwise_table(rows, titles)
    for row in made.rows:
        row.note = notes.get(row.keys[0])
    made.name = name
    made.caption = (
        f"{table_title(run, name)}: accuracy, or rate at rank 1, minus that of another method "
        "(points), on the same folds."
    )
    made.remarks = [
        "Positive: better than the method of the column. In bold: the two differ at "
        f"{ALPHA} by the corrected resampled t-test (Nadeau and Bengio 2003), after Holm's "
        "correction over the comparisons of that row's features and preprocessing. Its ratio of "
        "test to training samples is that of the pairs for faces, 1 for persons, who are split in "
        "halves. A tie is a difference that is not significant.",
        *missing_remark(made),
    ]
    made.left_out = [entry for i, entry in enumerate(absent) if entry not in absent[:i]]
    return made


def folds_of(rows, measure):
    """The rows of each job, by fold."""
    frame = pd.DataFrame(rows, columns=[*JOB, "fold", "n_train", "n_test", measure])
    return {key: part.set_index("fold") for key, part in frame.groupby(JOB, sort=False)}


def compare_jobs(spec, first, second, measure):
    """The test between the folds of two jobs on an image set."""
    ratio = sizes_ratio(first) if spec.task == "verification" else HALVES
    return compare(first, second, measure, ratio)


def _family(folds, reasons, spec, measure, titles):
    """The comparisons on the folds of one feature and preprocessing."""
    family = []
    for a, b in proposed_pairs(list(folds)):
        without = {titles[m]: reasons[m] for m in (a, b) if reasons[m]}
        if without:
            found = {"note": common_reason(without)}
        else:
            found = compare_jobs(spec, folds[a], folds[b], measure)
        family.append({"method_a": a, "method_b": b, **found})
    return family
