"""Overrides of a whole run: what they are called, and how they reach each method."""

import re
from typing import Any

from ..files.errors import PipelineError
from .compose import plain_errors
from .identity import digest

CONFIG_KEYS = ("experiment", "overrides", "strict")
SLUG_LENGTH = 80


def slug(experiment, overrides):
    """A readable folder name for an experiment with overrides."""
    text = "-".join([experiment, *(re.sub(r"[^A-Za-z0-9._]+", "_", o) for o in overrides)])
    return text if len(text) <= SLUG_LENGTH else f"{text[:SLUG_LENGTH]}-{digest(overrides)}"


def key_of(text):
    return text.partition("=")[0].lstrip("+~")


def value_of(text):
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from omegaconf import OmegaConf

    with plain_errors():
        value = OverridesParser.create().parse_override(text).value()
        plain: Any = OmegaConf.to_container(OmegaConf.create({"value": value}))
    return plain["value"]


def has(tree, key):
    for part in key.split("."):
        if not isinstance(tree, dict) or part not in tree:
            return False
        tree = tree[part]
    return True


def put(tree, key, value):
    *path, last = key.split(".")
    for part in path:
        tree = tree[part]
    tree[last] = value


def split_list(value):
    """The items of a list that came as text, as [a=1,b=[2,3]] does: yaml cannot read it."""
    if not (isinstance(value, str) and value.startswith("[") and value.endswith("]")):
        return value
    items, depth = [""], 0
    for character in value[1:-1]:
        depth += (character in "[{(") - (character in ")}]")
        if character == "," and depth == 0:
            items.append("")
        else:
            items[-1] += character
    return [item.strip() for item in items if item.strip()]


def read_settings(config):
    """(experiment, overrides, strict) of the workflow's --config, checked."""
    if unknown := sorted(set(config) - set(CONFIG_KEYS)):
        keys = ", ".join(CONFIG_KEYS)
        raise PipelineError(f"--config: unknown key {unknown[0]!r}; keys are {keys}")
    overrides = split_list(config.get("overrides") or [])
    if not isinstance(overrides, list):
        raise PipelineError(
            "--config: overrides must be a list, as in 'overrides=[method.C=0.1]', "
            f"got {overrides!r}"
        )
    strict = str(config.get("strict", False)).lower()
    if strict not in ("true", "false"):
        raise PipelineError(f"--config: strict must be true or false, got {config['strict']!r}")
    return str(config.get("experiment", "paper")), [str(o) for o in overrides], strict == "true"
