"""The page of the published results in a real browser: what fits the screen, and its length."""

from pathlib import Path

import pytest
from screen import PHONE, Screen

PAGE = Path(__file__).parents[2] / "results/report.html"
LONGEST = 22_000  # pixels at 1280: half of what the page of version 0.1 had
BROKEN = """
return [...arguments[0].querySelectorAll("tbody th")].filter((cell) => {
    const words = document.createRange();
    words.selectNodeContents(cell);
    const lines = new Set([...words.getClientRects()].map((box) => box.top));
    return lines.size > 1 && !/\\s/.test(cell.textContent.trim());
}).map((cell) => cell.textContent);
"""
INSIDE = """
const box = arguments[0].closest(".scroll");
return [box.scrollWidth, box.clientWidth];
"""


@pytest.fixture
def published(driver):
    return Screen(driver, PAGE)


def test_the_errors_fit_the_screen_with_their_ranks(published):
    published.drawn(width=1280)
    for name in ("table3", "table5"):
        table = published.find(f"#{name} table")
        inner, outer = published.run(INSIDE, table)
        assert inner <= outer, name
        cells = table.find_elements("css selector", "tbody:first-of-type tr:first-child > *")
        assert len(cells) == 13  # a data set and twelve methods
        wide = published.run(
            "return [...arguments[0].querySelectorAll('td')]"
            ".filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => e.id)",
            table,
        )
        assert wide == []
        assert published.run(BROKEN, table) == []  # no single word in two lines
    ranks = published.find("#table3 .summaries").rect
    assert ranks["height"] > 0 and ranks["x"] + ranks["width"] <= 1280


@pytest.mark.parametrize("width", [PHONE, 390, 1280])
def test_the_published_page_does_not_scroll_sideways(published, width):
    published.drawn(width=width)
    assert published.run("return document.documentElement.scrollWidth") <= width


def test_the_folded_page_is_short(published):
    published.drawn(width=1280)
    assert published.run("return document.documentElement.scrollHeight") <= LONGEST


def test_first_screen_of_the_published_page(published):
    published.drawn(width=1280, height=800)
    for css in ("h1", "#verdict", "#contents", "#agreement svg"):
        box = published.find(css).rect
        assert box["y"] >= 0 and box["y"] + box["height"] <= 800, css


def test_every_point_leads_to_a_cell_with_rows(published):
    published.drawn()
    missing = published.run("""
        const scripts = [...document.querySelectorAll("#agreement script, #agreement-more script")];
        const points = (script) => JSON.parse(script.textContent).layer[1].data.values;
        const cells = scripts.flatMap(points).map((point) => point.cell);
        const open = (id) => document.getElementById(id)?.querySelector("button.open");
        return [cells.length, cells.filter((id) => !open(id))];
    """)
    assert missing[0] > 150 and missing[1] == []
