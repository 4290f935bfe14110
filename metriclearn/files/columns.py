"""The columns of result rows, one row per fold, for classification and for matching.

``chosen`` holds the parameters of the fit, ``edge`` the names of those that are the smallest or the
largest of the values tried, ``n_tune`` on how much of the training part they were chosen (samples,
or pairs of images). ``warnings`` are those of the fit, ``tuning_warnings`` those of its candidates.
"""

from dataclasses import dataclass

STATUSES = ("ok", "failed", "timeout", "skipped", "unavailable")
SECONDS = ["prepare_s", "tune_s", "fit_s", "fit_cpu_s", "solve_s", "predict_s"]

IDENTITY = ["experiment", "dataset", "method", "repeat", "fold"]
ROW_COLUMNS = IDENTITY + [
    "seed",
    "config",
    "data_hash",
    "status",
    "message",
    "n_train",
    "n_test",
    "n_features",
    "chosen",
    "edge",
    "n_tune",
    "tuning_error",
    "wrong",
    "error",
    "n_iter",
    "primal",
    "dual",
    "gap",
    "n_pairs",
    "n_support",
    "warnings",
    "tuning_warnings",
]
TIME_COLUMNS = IDENTITY + SECONDS

MATCH_IDENTITY = ["experiment", "images", "feature", "method", "preprocess", "fold"]
MATCH_ROW_COLUMNS = MATCH_IDENTITY + [
    "seed",
    "config",
    "data_hash",
    "simulated",
    "status",
    "message",
    "n_train",
    "n_test",
    "n_features",
    "chosen",
    "edge",
    "n_tune",
    "tuning_score",
    "threshold",
    "train_accuracy",
    "accuracy",
    "auc",
    "eer",
    "rank1",
    "rank5",
    "rank10",
    "rank15",
    "rank20",
    "rank25",
    "rank50",
    "rank80",
    "rank100",
    "mrr",
    "one_probe_rank1",
    "one_probe_rank5",
    "one_probe_rank10",
    "one_probe_rank15",
    "n_iter",
    "primal",
    "dual",
    "gap",
    "n_pairs",
    "n_support",
    "warnings",
    "tuning_warnings",
]
MATCH_TIME_COLUMNS = MATCH_IDENTITY + SECONDS
CURVE_COLUMNS = MATCH_IDENTITY + ["kind", "x", "y"]


@dataclass(frozen=True)
class JobColumns:
    """The columns of the files of one kind of job; those of provenance are added to the times."""

    rows: list[str]
    times: list[str]
    curve: list[str] | None = None

    def with_columns(self, *names):
        """The same with further columns of rows and times."""
        return JobColumns([*self.rows, *names], [*self.times, *names], self.curve)


CLASSIFICATION = JobColumns(ROW_COLUMNS, TIME_COLUMNS)
GRID = JobColumns(
    IDENTITY
    + ["candidate", "seed", "config", "data_hash", "status", "message"]
    + ["n_train", "n_test", "wrong", "error"],
    IDENTITY + ["prepare_s", "tune_s"],
)
TIMING = JobColumns(
    IDENTITY + ["seed", "data_hash", "status", "message", "n_train", "n_features", "n_iter"],
    IDENTITY + ["fit_s", "fit_cpu_s"],
)
MATCHING = JobColumns(MATCH_ROW_COLUMNS, MATCH_TIME_COLUMNS, CURVE_COLUMNS)
