"""The built site: links, no network, and pages in a real browser. ``make docs`` runs this."""

import inspect
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from screen import PHONE, WAITING

import metriclearn
from metriclearn import PCML

# Where links may lead; nothing is loaded from anywhere.
HOSTS = {
    "archive.ics.uci.edu",
    "contrib.scikit-learn.org",
    "doi.org",
    "keepachangelog.com",
    "pydata-sphinx-theme.readthedocs.io",
    "scikit-learn.org",
    "sphinx-gallery.github.io",
    "www.sphinx-doc.org",
}
# Buttons that fade in have their last colour at once.
STILL = """
document.head.insertAdjacentHTML("beforeend", "<style>* { transition: none !important }</style>");
"""
SHOWN = ["index.html", "api/metriclearn.PCML.html", "guide/model.html", "gallery/plot_kernel.html"]


class Links(HTMLParser):
    """Where a page leads (``links``), what it loads (``loads``), and its anchors."""

    def __init__(self, text):
        super().__init__()
        self.links, self.loads, self.anchors = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.anchors.update(found[key] for key in ("id", "name") if found.get(key))
        if tag == "a" and found.get("href"):
            self.links.append(found["href"])
        elif tag == "link" and found.get("rel") in ("stylesheet", "icon", "preload"):
            self.loads.append(found["href"])
        elif found.get("src"):
            self.loads.append(found["src"])


@pytest.fixture(scope="module")
def pages(site):
    found = [path for path in site.rglob("*.html") if path.parent.name != "_static"]
    return {path: Links(path.read_text("utf-8")) for path in sorted(found)}


def test_every_internal_link_leads_to_a_file_and_an_anchor(pages):
    wrong, checked = [], 0
    for page, found in pages.items():
        for link in found.links + found.loads:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            checked += 1
            target = page if not parts.path else (page.parent / unquote(parts.path)).resolve()
            anchor = unquote(parts.fragment)
            if not target.is_file():
                wrong.append((page.name, link))
            elif anchor and target in pages and anchor not in pages[target].anchors:
                wrong.append((page.name, link))
    assert wrong == []
    assert checked > 1000


def test_links_to_the_outside_are_https_and_expected(pages):
    outside = {link for found in pages.values() for link in found.links if urlsplit(link).netloc}
    assert {link for link in outside if urlsplit(link).scheme != "https"} == set()
    assert {urlsplit(link).hostname for link in outside} <= HOSTS


def test_nothing_is_loaded_from_outside(pages):
    loaded = {load for found in pages.values() for load in found.loads}
    assert {load for load in loaded if urlsplit(load).netloc} == set()


def test_every_learner_has_a_page_with_its_parameters(site):
    for name in metriclearn.__all__:
        page = (site / f"api/metriclearn.{name}.html").read_text("utf-8")
        thing = getattr(metriclearn, name)
        parameters = inspect.signature(thing).parameters
        shown = re.sub(r"<[^>]+>", "", page)
        assert all(re.search(rf"\b{parameter}\b", shown) for parameter in parameters), name


def test_every_example_was_run(site, root):
    examples = sorted((root / "docs/examples").glob("plot_*.py"))
    assert len(examples) >= 6
    for example in examples:
        page = (site / f"gallery/{example.stem}.html").read_text("utf-8")
        assert "sphx-glr-script-out" in page or "sphx-glr-single-img" in page, example.name
        assert "Traceback" not in page and "Warning:" not in page


@pytest.mark.parametrize("page", SHOWN)
def test_a_page_loads_without_complaints_and_requests(visit, driver, site, page):
    for kind in ("browser", "performance"):
        driver.get_log(kind)
    visit(page)
    assert [entry for entry in driver.get_log("browser") if entry["level"] != "INFO"] == []
    events = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    asked = {
        event["params"]["request"]["url"]
        for event in events
        if event["method"] == "Network.requestWillBeSent"
        and event["params"]["documentURL"] == (site / page).as_uri()
    }
    assert {urlsplit(url).scheme for url in asked} <= {"file", "data"}


@pytest.mark.parametrize("page", SHOWN)
@pytest.mark.parametrize("width", [PHONE, 390, 1280])
def test_no_page_scrolls_sideways(visit, page, width):
    screen = visit(page, width=width)
    assert screen.run("return document.documentElement.scrollWidth") <= width


def test_the_reference_of_pcml_is_readable(visit):
    screen = visit("api/metriclearn.PCML.html")
    assert screen.find("h1").text.startswith("PCML")
    signature = screen.find("dl.class > dt.sig").text
    assert all(f"{name}=" in signature for name in PCML().get_params())
    methods = [term.get_attribute("id") for term in screen.all("dl.method > dt.sig")]
    assert {"metriclearn.PCML.fit", "metriclearn.PCML.fit_pairs"} <= set(methods)
    assert not any("get_params" in name for name in methods)  # scikit-learn's own


def test_equations_are_drawn_with_the_numbers_of_the_paper(visit):
    screen = visit("guide/model.html")
    assert [n.text for n in screen.all(".equation .number")] == ["(2)", "(3)", "(4)", "(5)", "(17)"]
    heights = screen.run("""
        return [...document.querySelectorAll(".equation math")].map(
            (e) => e.getBoundingClientRect().height);
    """)
    # A problem with constraints has three lines, (17) one: a browser that draws no MathML has one.
    assert len(heights) == 5 and heights[2] > 2 * heights[4] > 20


@pytest.mark.parametrize("page", ["index.html", "findings.html"])
def test_the_published_results_are_a_click_away(visit, page):
    screen = visit(page)
    screen.run("document.querySelector('main a[href$=\"results/report.html\"]').click()")
    screen.wait(lambda _: screen.run(WAITING) and screen.all("#table3"))
    assert screen.find("h1").text.startswith("Iterated SVMs")


def test_search_finds_a_page_without_a_server(visit, driver):
    screen = visit("search.html")
    driver.get(driver.current_url + "?q=calibrate_threshold")
    screen.wait(lambda _: screen.all("#search-results li a"))
    found = [link.get_attribute("href") for link in screen.all("#search-results li a")]
    assert any(Path(urlsplit(link).path).name == "verification.html" for link in found)


@pytest.mark.parametrize("page", SHOWN)
@pytest.mark.parametrize("dark", [False, True])
def test_text_has_contrast(visit, root, page, dark):
    screen = visit(page, dark=dark)
    screen.run(STILL)
    found = screen.run((root / "tests/presentation/contrast.js").read_text(), 4.5)
    assert found["low"] == []
    assert found["checked"] > 50
