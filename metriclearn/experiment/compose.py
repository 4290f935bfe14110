"""From conf/ and a command line to one checked configuration, as a plain dict.

A job is a function that completes the composed dict with the facts behind its names. That of
classification is here; that of images is in ``matching.py``, which training jobs don't import.
"""

import os
import re
import sys
from contextlib import contextmanager
from typing import Any

from ..datasets import load_spec
from ..datasets.userfile import OPTIONS, FileOptions
from ..files.errors import PipelineError, UserError, guard, one_line
from ..files.resources import conf_dir
from .config import check, register, set_by_hand
from .methods import PAIR_KEYS, check_types, read_method

FILE_KEYS = frozenset(f"dataset.{key}" for key in OPTIONS)
SWEEP = ("-m", "--multirun")
ROOT = "config"  # the file of conf/ that all jobs start from


def compose_config(overrides=(), job=None):
    """The configuration that ``overrides`` (as on the command line) give; Python's entrance.

    ``job`` is ``classification_job``, the default, or ``matching_job``.
    """
    from hydra import compose, initialize_config_dir

    register()
    with plain_errors():
        with initialize_config_dir(str(conf_dir().resolve()), version_base="1.3"):
            config = to_dict(compose(ROOT, overrides=list(overrides)))
            return complete(config, overrides, job)


def hydra_main(work, text, job=None, end=lambda: None):
    """Run ``work(config)`` for the command line: one job, or with ``-m`` a sweep of jobs.

    ``text`` begins what --help prints; ``end()`` is called after the last job.
    """
    words = sys.argv[1:]
    if any(word.startswith("-") for word in words):
        guard(_hydra_main, work, text, job, end)
    else:  # without Hydra's launcher one job starts sooner
        guard(lambda: work(compose_config(words, job)))


def _hydra_main(work, text, job, end):
    import hydra
    from hydra.core.hydra_config import HydraConfig

    register()
    # Hydra's errors come as exceptions, not as a printed page: one line is made of them here.
    os.environ["HYDRA_FULL_ERROR"] = "1"
    errors, outs = [], set()

    @hydra.main(str(conf_dir().resolve()), ROOT, version_base="1.3")
    def app(cfg):
        try:
            with plain_errors():
                config = complete(to_dict(cfg), HydraConfig.get().overrides.task, job)
                out = config["out"]
                if out in outs:
                    raise PipelineError(
                        f"out={out} holds the rows of an earlier job of this sweep; leave it away, "
                        "and each job has a folder of its own"
                    )
                if out is not None:
                    outs.add(out)
                work(config)
        except Exception as error:  # Hydra would print words of its own; a sweep goes on
            errors.append((" ".join(HydraConfig.get().overrides.task), error))

    # Hydra takes options before or after all settings, not between them.
    sys.argv[1:] = sorted(sys.argv[1:], key=lambda word: word not in SWEEP)
    if {"-h", "--help"} & set(sys.argv[1:]):
        print(f"{text.strip()}\n")
    with plain_errors():
        app()
    end()
    _raise_first(errors)


def _raise_first(errors):
    """Raise what went wrong, something unexpected first; a sweep names each of its jobs."""
    for _, error in sorted(errors, key=lambda entry: isinstance(entry[1], UserError)):
        if len(errors) == 1 or not isinstance(error, UserError):
            raise error
    if errors:
        said = "; ".join(f"{name}: {one_line(error)}" for name, error in errors)
        raise PipelineError(f"{len(errors)} jobs failed: {said}")


def job_overrides():
    """{key: value} of the command line of the job that Hydra runs now, as text."""
    from hydra.core.hydra_config import HydraConfig

    task = HydraConfig.get().overrides.task
    return {key: value for key, _, value in (text.partition("=") for text in task)}


def to_dict(cfg):
    from omegaconf import OmegaConf

    config: Any = OmegaConf.to_container(cfg, resolve=True)
    config.pop("hydra", None)
    return config


def complete(config, overrides=(), job=None):
    """A composed configuration with the facts of its job, checked."""
    return check((job or classification_job)(config, overrides))


def classification_job(config, overrides=()):
    """The facts of the data set, and the method without what was set by hand in its grid."""
    dataset, method = config["dataset"], config["method"]
    if dataset["path"] is None and dataset["name"] is None:
        raise PipelineError("dataset=file needs dataset.path, e.g. dataset.path=./mine.csv")
    if dataset["path"] is None:
        if by_hand := sorted(set_by_hand(overrides) & FILE_KEYS):
            raise PipelineError(
                f"{by_hand[0]} is for a file of your own: add dataset=file dataset.path=PATH"
            )
        config["dataset"] = dataset_facts(load_spec(dataset["name"]), dataset["pca"])
    else:
        config["dataset"] = file_facts(dataset["path"], dataset)
    if not isinstance(config["data"], str | None):
        raise PipelineError(f"data must be the path of one file, got {config['data']!r}")
    method = check_types({**read_method(method["name"]), **method})
    config["method"] = fix_set_by_hand(method, overrides)
    return config


def fix_set_by_hand(method, overrides):
    """A parameter that was set by hand, as method.C=0.1 or pairs.k=2, is not tuned."""
    by_hand = set_by_hand(overrides)
    tune = {
        key: values
        for key, values in method["tune"].items()
        if f"{'pairs' if key in PAIR_KEYS else 'method'}.{key}" not in by_hand
    }
    return {**method, "tune": tune}


def dataset_facts(spec, pca):
    """What a job needs to know about a data set: the rest of its file is about fetching."""
    return {"name": spec.name, "pca": pca, "group": spec.group, "content_hash": spec.content_hash}


def file_facts(path, options):
    """The same about a file of one's own: its name, and the options that are not the default."""
    return {"name": file_name(path), "path": path, **FileOptions.of(options).changed()}


def file_name(path):
    """The name of a data set that is a file."""
    stem = os.path.basename(path).partition(".")[0]
    if not re.fullmatch(r"[A-Za-z0-9_-]+", stem):
        raise PipelineError(
            f"{path}: a data file's name must be of letters, digits, _ and -, got {stem!r}"
        )
    return stem


@contextmanager
def plain_errors():
    """Hydra's and OmegaConf's errors as a PipelineError of one line."""
    from hydra.errors import HydraException
    from omegaconf.errors import OmegaConfBaseException

    try:
        yield
    except (HydraException, OmegaConfBaseException) as error:
        raise PipelineError(explain(error)) from error


def explain(error):
    """One line that names the key and lists what there is."""
    text = one_line(error)
    cause = one_line(error.__cause__) if error.__cause__ else ""
    if found := re.search(r"Could not find '([^']+)'.*?Available options in '[^']+': (.*)", text):
        group, _, name = found[1].rpartition("/")
        options = sorted(set(found[2].partition("Config search path")[0].split()))
        return f"unknown {group} {name!r}; there are {', '.join(options)}"
    if found := re.search(r"Could not find '([^']+)'", text):
        return f"unknown group or option {found[1]!r}"
    if found := re.search(r"(?:Key '([^']+)' (?:is )?not in|Could not override '([^']+)')", text):
        where = re.search(r"full_key: (\S+)", f"{text} {cause}")
        named = re.search(r"Could not override '([^']+)'", text)
        key = named[1] if named else where[1] if where else found[1]
        if "not in" in f"{text} {cause}":
            return f"unknown key {key}; {_siblings(key)}"
    where = re.search(r"full_key: (\S+)", f"{text} {cause}")
    reason = re.sub(r"\s*full_key: .*", "", cause or text)
    reason = re.sub(r"^Error merging override \S+ ", "", reason)
    return f"{where[1]}: {reason}" if where else reason


def _siblings(key):
    from hydra import compose, initialize_config_dir
    from hydra.core.global_hydra import GlobalHydra
    from hydra.errors import HydraException
    from omegaconf import OmegaConf

    parent = key.rpartition(".")[0]
    try:
        GlobalHydra.instance().clear()
        groups = r"(dataset|images|method|experiment|matching)=\S+"
        chosen = [a for a in sys.argv[1:] if re.fullmatch(groups, a)]
        with initialize_config_dir(str(conf_dir().resolve()), version_base="1.3"):
            cfg = compose(ROOT, overrides=chosen)
        node = OmegaConf.select(cfg, parent) if parent else cfg
        return f"keys {f'of {parent} ' if parent else ''}are {', '.join(map(str, node))}"
    except HydraException:
        return "see conf/"
