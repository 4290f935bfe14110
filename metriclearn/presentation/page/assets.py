"""The files of the page that are no Python."""

from importlib import resources

ASSETS = ("page.html", "style.css", "sort.js", "copy.js", "fold.js", "rows.js", "charts.js")


def asset(name):
    """The text of one of them."""
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def scripts():
    """All scripts of the page."""
    return "".join(asset(name) for name in ASSETS if name.endswith(".js"))
