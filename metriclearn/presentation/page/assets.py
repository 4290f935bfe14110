"""The files of the page that are no Python."""

from importlib import resources

ASSETS = ("page.html", "style.css", "sort.js", "readout.js", "copy.js")


def asset(name):
    """The text of one of them."""
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")
