"""The rows behind a mean, in short: the mean of each repetition, and which parameters were chosen.

In percent, with the two decimals that tables print.
"""

import json
from collections import Counter

import pandas as pd

MOST = 3  # choices that are named, the most frequent first


def rows_behind(rows, keys, column="error", over="repeat"):
    """``{values of the keys: {"unit", "parts", "chosen", "folds"}}`` from rows of text.

    ``parts`` are the means over the folds of each repetition, as [number, mean]; ``over`` None:
    each fold is a part. ``chosen`` has pairs of a choice of parameters and how many folds made it.
    Rows without a result are left out.
    """
    good = [row for row in rows if row["status"] == "ok" and row.get(column)]
    if not good:
        return {}
    frame = pd.DataFrame(good)
    groups = frame.groupby(list(keys), sort=False)
    return {key: _behind(part, column, over or "fold") for key, part in groups}


def _behind(part, column, unit):
    means = (100.0 * part[column].map(float)).groupby(part[unit].map(int)).mean().round(2)
    counts = Counter(part["chosen"].map(chosen_text)) if "chosen" in part else Counter()
    chosen = [[text, count] for text, count in counts.most_common() if text]
    return {
        "unit": "repetition" if unit == "repeat" else unit,
        "parts": [[int(number), float(mean)] for number, mean in means.items()],
        "chosen": chosen[:MOST],
        "folds": len(part),
    }


def chosen_behind(grid, chosen):
    """The same of the candidates that test errors chose: ``chosen`` is that of ``choose_by_test``.

    The choice is one for all folds.
    """
    own = [
        {**row, "chosen": row["candidate"]}
        for row in grid
        if (best := chosen.get((row["dataset"], row["method"])))
        and json.loads(row["candidate"] or "{}") == best.candidate
    ]
    return rows_behind(own, ("dataset", "method"))


def chosen_text(candidate):
    """Words for a choice: C = 0.1, k = 2; empty where nothing is chosen."""
    return ", ".join(f"{name} = {value}" for name, value in json.loads(candidate or "{}").items())
