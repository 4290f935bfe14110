"""The columns of result rows, one row per fold."""

IDENTITY = ["experiment", "dataset", "method", "repeat", "fold"]
ROW_COLUMNS = IDENTITY + [
    "seed", "config", "data_hash", "status", "message", "n_train", "n_test", "n_features",
    "chosen", "tuning_error", "wrong", "error", "n_iter", "primal", "dual", "gap", "n_pairs",
    "n_support", "warnings",
]  # fmt: skip
TIME_COLUMNS = IDENTITY + ["tune_s", "fit_s", "fit_cpu_s", "solve_s", "predict_s"]
STATUSES = ("ok", "failed", "timeout", "skipped", "unavailable")
