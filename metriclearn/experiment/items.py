"""Tables and figures of an experiment, looked up by name."""

from ..files.errors import PipelineError


def find_item(experiment, kind, name):
    """The entry ``name`` of the experiment's tables or figures."""
    items = experiment[kind]
    if name not in items:
        known = ", ".join(items) or "none"
        raise PipelineError(f"unknown item {name!r}; {kind} of {experiment['name']} are {known}")
    return items[name]


def figure_item(config, kind):
    """The figure that ``config`` names, which must be of the given kind."""
    item = find_item(config["experiment"], "figures", config["item"])
    if item["kind"] != kind:
        raise PipelineError(f"{config['item']} is of the kind {item['kind']}, not {kind}")
    return item
