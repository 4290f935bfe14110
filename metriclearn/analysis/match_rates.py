"""Mean accuracies and recognition rates of matching jobs over their folds."""

from .error_rates import NO_ROWS, mean_rates, read_paper_rows

JOB = ("feature", "preprocess", "method")


def match_means(item, rows):
    """``{(feature, preprocess, method): {measure: Mean}}`` for all jobs of a matching table."""
    own = [row for row in rows if row["images"] == item["images"]]
    means = {m: mean_rates(own, JOB, column=m, over=None) for m in item["measures"]}
    return {
        (feature, preprocess, method): {
            measure: found.get((feature, preprocess, method), NO_ROWS)
            for measure, found in means.items()
        }
        for feature in item["features"]
        for preprocess in item["preprocess"]
        for method in item["methods"]
    }


def paper_rates(item):
    """``{(feature, method): {column: number}}`` of the paper's table beside a matching table."""
    rows = read_paper_rows(item["paper"]) if item["paper"] else []
    return {
        (row["feature"], row["method"]): {
            key: float(text)
            for key, text in row.items()
            if key not in ("feature", "method") and text
        }
        for row in rows
    }
