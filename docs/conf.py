"""Sphinx's settings. ``make docs`` builds the site into docs/_build/html, without a network."""

import inspect
import sys
import warnings
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_extensions"))

import metriclearn  # noqa: E402

project = "metriclearn"
author = "The metriclearn developers"
version = release = metriclearn.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
    "mathml",
    "published",
]
exclude_patterns = ["_build", "examples"]  # the examples are read by sphinx-gallery
smartquotes = False  # quotes belong to values here
toc_object_entries_show_parents = "hide"
nitpicky = True
nitpick_ignore_regex = [("py:.*", r"(?!metriclearn).*")]  # other packages are not checked

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3

templates_path = ["_templates"]
autosummary_generate = True
numpydoc_show_class_members = False

sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "gallery",
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "write_computation_times": False,
    "show_signature": False,
    "plot_gallery": True,
}
# Iris has a few identical flowers; that a fit leaves such pairs out is not the examples' subject.
warnings.filterwarnings("ignore", message=".* pairs of identical samples were dropped.")

html_theme = "pydata_sphinx_theme"
html_title = "metriclearn"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_context = {"default_mode": "auto"}  # light or dark, as the reader's system
html_math_renderer = "mathml"
html_show_sourcelink = False
html_copy_source = False
html_sidebars = {"index": [], "changelog": [], "gallery/*": []}  # wide code
html_theme_options = {
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "show_toc_level": 2,
    "footer_start": [],
    "footer_end": ["theme-version"],
}


def skip_what_others_wrote(app, what, name, thing, skip, options):
    """A class's page has the methods that are written here, not scikit-learn's or Python's."""
    if what != "class":
        return skip
    return skip or not (inspect.isfunction(thing) and thing.__module__.startswith("metriclearn"))


def setup(app):
    app.connect("autodoc-skip-member", skip_what_others_wrote)
