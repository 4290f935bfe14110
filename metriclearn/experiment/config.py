"""The types of the configuration in conf/, checked whenever it is composed.

One schema holds for all jobs: training, matching, and the jobs of figures. Groups with fixed keys
are the dataclasses below. A method's keys are the arguments of its estimator: their types are
those of the values in its file (see ``methods.py``).
"""

from dataclasses import MISSING, dataclass, field, fields, make_dataclass
from typing import Any

from ..files.errors import PipelineError


@dataclass
class Pairs:
    k: int = 1
    dissimilar: str = "nearest"


@dataclass
class Protocol:
    repeats: int = 10
    repeats_large: int = 10
    folds: int = 10
    use_folds: int | None = None
    seed: int = 0
    scale: str = "paper"
    pca: Any = "paper"
    timeout: float | None = None
    threads: int = 1


@dataclass
class Tuning:
    kind: str = "none"
    folds: int = 0
    test_size: float = 0.0
    holdout_from: int | None = None
    max_samples: int | None = None
    extensions: int = 0


@dataclass
class MatchTuning:
    folds: int = 3
    use_folds: int | None = 1
    max_pairs: int | None = None
    extensions: int = 0


@dataclass
class Matching:
    preprocess: str = "chosen"
    ridge: float = 0.0
    pca: Any = "paper"
    use_folds: int | None = None
    partitions: int = 10
    probe: str = "paper"
    negatives: int = 1
    max_similar: int | None = None
    seed: int = 0
    timeout: float | None = None
    threads: int = 1
    tuning: MatchTuning = field(default_factory=MatchTuning)


@dataclass
class TableItem:
    kind: str = "errors"
    group: str | None = None
    paper: str | None = None
    images: str | None = None
    features: list[str] = field(default_factory=list)
    methods: list[str] = field(default_factory=list)
    preprocess: list[str] = field(default_factory=list)
    measures: list[str] = field(default_factory=list)
    tables: list[str] = field(default_factory=list)
    title: str | None = None
    datasets: list[str] = field(default_factory=list)
    variants: dict[str, list[str]] = field(default_factory=dict)
    repeats: int = 1
    C: float = 1.0
    k: int = 1
    max_iter: int = 20
    samples: int | None = None
    folded: bool = False  # on the page


@dataclass
class FigureItem:
    kind: str = "times"
    group: str | None = None
    table: str | None = None
    preprocess: str | None = None
    dataset: str | None = None
    methods: list[str] = field(default_factory=list)
    key: str | None = None
    values: list[Any] = field(default_factory=list)
    C: float = 1.0
    k: int = 1
    tol: float = 1e-6
    max_iter: int = 20
    samples: int | None = None


@dataclass
class GridRepeats:
    """Repetitions of the grids that are scored on test parts; 0: none."""

    small: int = 0
    large: int = 0


@dataclass
class Timing:
    """Fits of each method on each data set that are timed alone; 0: none."""

    fits: int = 0
    seconds: float = 10.0


@dataclass
class Experiment:
    name: str = "paper"
    banner: str | None = None  # on its page and below its tables, which then judge nothing
    datasets: list[str] = field(default_factory=list)
    methods: Any = "all"
    repeats_per_job: int = 10
    grid_repeats: GridRepeats = field(default_factory=GridRepeats)
    timing: Timing = field(default_factory=Timing)
    tables: dict[str, TableItem] = field(default_factory=dict)
    figures: dict[str, FigureItem] = field(default_factory=dict)


def dataset_schema():
    """The keys of conf/dataset, taken from the data layer, and those of a file of your own."""
    from ..datasets import DatasetSpec
    from ..datasets.userfile import OPTIONS

    columns: list[Any] = [("path", str | None, field(default=None))]
    known = {item.name for item in fields(DatasetSpec)}
    columns += [(key, Any, field(default=None)) for key in OPTIONS if key not in known]
    for item in fields(DatasetSpec):
        declared: Any = item.type
        simple = declared in (str, int, str | None, int | None)
        default = None if item.default is MISSING else item.default
        kind = (declared | None) if simple else Any
        columns.append((item.name, kind, field(default=default if simple else None)))
    return make_dataclass("DatasetFacts", columns)


@dataclass
class Config:
    dataset: Any = None
    method: Any = None
    pairs: Pairs = field(default_factory=Pairs)
    protocol: Protocol = field(default_factory=Protocol)
    tuning: Tuning = field(default_factory=Tuning)
    images: Any = None
    feature: str | None = None
    matching: Matching = field(default_factory=Matching)
    experiment: Experiment = field(default_factory=Experiment)
    run: str = "paper"
    repeat: Any = 0
    data: Any = None
    split: str | None = None
    out: str | None = None
    item: str | None = None


PREPROCESS = ("plain", "whiten", "whiten_unit", "chosen")
CHOICES = {
    "protocol.scale": ("paper", "minmax", "global", "standard", "together", "none"),
    "tuning.kind": ("none", "holdout", "nested"),
    "pairs.dissimilar": ("nearest", "farthest", "random"),
    "matching.probe": ("paper", "camera", "image", "others"),
}
AT_LEAST = {  # null, where its type allows it, is no number
    "pairs.k": 1,
    "protocol.repeats": 1,
    "protocol.repeats_large": 1,
    "protocol.folds": 2,
    "protocol.seed": 0,
    "protocol.threads": 1,
    "tuning.extensions": 0,
    "tuning.max_samples": 2,
    "experiment.repeats_per_job": 1,
    "experiment.grid_repeats.small": 0,
    "experiment.grid_repeats.large": 0,
    "experiment.timing.fits": 0,
    "experiment.timing.seconds": 0,
    "matching.ridge": 0,
    "matching.use_folds": 1,
    "matching.partitions": 1,
    "matching.negatives": 1,
    "matching.max_similar": 1,
    "matching.seed": 0,
    "matching.threads": 1,
    "matching.tuning.use_folds": 1,
    "matching.tuning.max_pairs": 2,
    "matching.tuning.extensions": 0,
}


def check(config):
    """Refuse values that have the right type but no meaning; ``config`` is a plain dict.

    All groups are checked whatever the job is, so a mistake is found before anything runs.
    """
    for key, values in CHOICES.items():
        if (value := look_up(config, key)) not in values:
            raise PipelineError(f"{key} must be one of {', '.join(values)}, got {value!r}")
    for key, least in AT_LEAST.items():
        if (value := look_up(config, key)) is not None and value < least:
            raise PipelineError(f"{key} must be at least {least}, got {value!r}")
    repetitions(config["repeat"])
    used = config["protocol"]["use_folds"]
    if used is not None and used < 1:
        raise PipelineError(f"protocol.use_folds must be null or at least 1, got {used!r}")
    for group in ("protocol", "matching"):
        pca = config[group]["pca"]
        if pca not in ("paper", "none") and not (type(pca) is int and pca >= 1):
            raise PipelineError(f"{group}.pca must be paper, none or a dimension >= 1, got {pca!r}")
    _check_tuning(config["tuning"])
    _check_match_tuning(config["matching"])
    return config


def _check_tuning(tuning):
    if tuning["kind"] == "nested" and tuning["folds"] < 2:
        raise PipelineError(f"tuning.folds must be at least 2, got {tuning['folds']!r}")
    holdout = tuning["kind"] == "holdout" or tuning["holdout_from"] is not None
    if holdout and not 0.0 < tuning["test_size"] < 1.0:
        raise PipelineError(
            f"tuning.test_size must be between 0 and 1, got {tuning['test_size']!r}"
        )


def preprocessings(text):
    """The preprocessings that a job is asked for: plain, or several as in plain+whiten."""
    kinds = str(text).split("+")
    for kind in kinds:
        if kind not in PREPROCESS:
            raise PipelineError(
                f"matching.preprocess must be one of {', '.join(PREPROCESS)}, or several joined by "
                f"+, got {text!r}"
            )
    return kinds


def _check_match_tuning(matching):
    folds, used = matching["tuning"]["folds"], matching["tuning"]["use_folds"]
    if folds < 2 and folds != 0:
        raise PipelineError(
            f"matching.tuning.folds must be at least 2, or 0 for no tuning, got {folds!r}"
        )
    if used is not None and used > folds > 0:
        raise PipelineError(
            f"matching.tuning.use_folds must be at most matching.tuning.folds ({folds}), got {used}"
        )
    if "chosen" in preprocessings(matching["preprocess"]) and folds == 0:
        raise PipelineError(
            "matching.preprocess=chosen needs matching.tuning.folds; give plain, whiten or "
            "whiten_unit for a run without tuning"
        )


def repetitions(text):
    """The repetitions that a job is asked for: 3, or from 0 to 4 for "0-4"."""
    first, dash, last = str(text).partition("-")
    numbers = [first, last] if dash else [first, first]
    if all(number.isdecimal() for number in numbers) and int(numbers[0]) <= int(numbers[1]):
        return range(int(numbers[0]), int(numbers[1]) + 1)
    raise PipelineError(f"repeat must be a number such as 3 or a range such as 0-4, got {text!r}")


def look_up(config, key):
    """The value under a dotted key."""
    for part in key.split("."):
        config = config[part]
    return config


def set_by_hand(overrides):
    """The keys that a command line sets, as method.C for method.C=0.1."""
    return {text.lstrip("+~").partition("=")[0] for text in overrides}


def register():
    """Make the schemas known to Hydra; ``dataset=file`` is a file of your own."""
    from hydra.core.config_store import ConfigStore

    from ..datasets.userfile import FileOptions

    store = ConfigStore.instance()
    store.store(name="schema", node=Config(dataset=dataset_schema()()))
    store.store(
        group="dataset", name="file", node={"path": None, **vars(FileOptions()), "drop": []}
    )
