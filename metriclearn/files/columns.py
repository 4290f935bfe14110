"""The columns of result rows, one row per fold, for classification and for matching."""

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
]
TIME_COLUMNS = IDENTITY + ["tune_s", "fit_s", "fit_cpu_s", "solve_s", "predict_s"]
STATUSES = ("ok", "failed", "timeout", "skipped", "unavailable")

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
    "n_iter",
    "primal",
    "dual",
    "gap",
    "n_pairs",
    "n_support",
    "warnings",
]
MATCH_SECONDS = ["prepare_s", "tune_s", "fit_s", "fit_cpu_s", "predict_s"]
MATCH_TIME_COLUMNS = MATCH_IDENTITY + MATCH_SECONDS
CURVE_COLUMNS = MATCH_IDENTITY + ["kind", "x", "y"]
