"""The published results in the site, in the folders that they have in the repository.

A link such as ``[the page](../results/report.html)`` works in both.
"""

import shutil
from pathlib import Path

from docutils import nodes
from sphinx import addnodes

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("results/report.html", "results/published", "figures/published")


def link(app, doctree):
    """Links to what is copied lead to the copy; Sphinx would make a download of each."""
    folder = Path(app.env.doc2path(app.env.docname)).parent
    for node in list(doctree.findall(addnodes.download_reference)):
        target = (folder / node["reftarget"]).resolve()
        if any(target.is_relative_to(ROOT / part) for part in PARTS):
            up = "../" * app.env.docname.count("/")
            uri = up + target.relative_to(ROOT).as_posix()
            node.replace_self(nodes.reference("", "", *node.children, refuri=uri, internal=True))


def copy(app, error):
    if error is None and app.builder.format == "html":
        for part in PARTS:
            source, goal = ROOT / part, Path(app.outdir) / part
            goal.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, goal, dirs_exist_ok=True)
            else:
                shutil.copy2(source, goal)


def setup(app):
    app.connect("doctree-read", link, priority=100)  # before Sphinx collects downloads
    app.connect("build-finished", copy)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
