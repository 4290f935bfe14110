"""Kinds of tables and figures: a kind is a module of ``tables`` or ``figures`` with its name.

A kind of table has ``make(run, name, item, done)``, which gives a ``Table``; a kind of figure has
``make(run, name, item, done)``, which gives a ``FigureData``. ``item`` is the entry of the
experiment's file, ``done`` the collected rows by kind (rows, times, data, curve). A module whose
rows come from elsewhere than the item's group or image set also has ``inputs(run, name, item)``,
and one that shows the paper's values has ``paper(run, item)``, so that an edit of these makes it
again.
"""

import pkgutil
from importlib import import_module
from pathlib import Path

from ..experiment.fingerprint import fingerprint
from ..experiment.identity import digest
from ..experiment.items import find_item
from ..files.errors import PipelineError


def list_kinds(folder):
    """The kinds of tables, or of figures."""
    found = pkgutil.iter_modules([str(Path(__file__).with_name(folder))])
    return sorted(module.name for module in found if not module.name.startswith("_"))


def load_kind(folder, name, kind):
    """The module of a kind; ``name`` is the item that asks for it."""
    kinds = list_kinds(folder)
    if kind not in kinds:
        raise PipelineError(
            f"{name}: unknown kind {kind!r}; kinds of {folder} are {', '.join(kinds)}"
        )
    return import_module(f".{folder}.{kind}", __package__)


def inputs_of(run, folder, name):
    """The files of rows that a table or figure is made from: lists by kind."""
    item = find_item(run.experiment, folder, name)
    module = load_kind(folder, name, item["kind"])
    if hasattr(module, "inputs"):
        return module.inputs(run, name, item)
    return run.gathered(item.get("images") or item["group"] or name)


def depends_on(run, folder, name):
    """What a table or figure depends on beside its rows, so that a change makes it again.

    The code of its kind is among it: the module is found by name, so no import statement shows it.
    """
    item = find_item(run.experiment, folder, name)
    module = load_kind(folder, name, item["kind"])
    code = fingerprint(f"{__package__}.{folder}.{item['kind']}")
    config = {
        "item": item,
        "code": code,
        "titles": {method: run.title(method) for method in run.methods},
    }
    if banner := run.experiment["banner"]:
        config["banner"] = banner
    if hasattr(module, "paper"):
        config["paper"] = digest(module.paper(run, item))
    return config
