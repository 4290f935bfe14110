"""What a job prints at its end."""

from ..files.columns import STATUSES


def describe(head, result, measures):
    """One line for the terminal: means over the folds, what went wrong, and how long it took."""
    good = [row for row in result.rows if row["status"] == "ok"]
    parts = []
    if good:
        measured = [f"{key} {_percent(good, key):.2f} %" for key in measures if key in good[0]]
        parts.append(f"{', '.join(measured)} in {len(good)} folds")
    for status in STATUSES[1:]:
        rows = [row for row in result.rows if row["status"] == status]
        if rows:
            parts.append(f"{len(rows)} {status} ({rows[0]['message']})")
    fit, tuning = (sum(t.get(k) or 0.0 for t in result.times) for k in ("fit_s", "tune_s"))
    return f"{head}: {', '.join(parts)}, fit {fit:.1f} s, tuning {tuning:.1f} s"


def _percent(rows, key):
    """The mean over the folds; errors are counted, as folds may differ in size by a sample."""
    if key == "error":
        return 100 * sum(row["wrong"] for row in rows) / sum(row["n_test"] for row in rows)
    return 100 * sum(row[key] for row in rows) / len(rows)
