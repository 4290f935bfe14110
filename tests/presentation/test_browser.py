"""The page in a real browser: no errors, no requests, sorting, phone, contrast."""

import gzip
import json
from pathlib import Path

import pytest
from screen import DESKTOP, PHONE, POINTS


def test_loads_without_complaints_and_requests(screen):
    for kind in ("browser", "performance"):
        screen.driver.get_log(kind)
    screen.drawn()
    assert screen.driver.title == "Toy & report"
    assert screen.driver.get_log("browser") == []
    events = [json.loads(e["message"])["message"] for e in screen.driver.get_log("performance")]
    # The browser's own start page may still be loading; only what our page asks for counts.
    asked = {
        event["params"]["request"]["url"]
        for event in events
        if event["method"] == "Network.requestWillBeSent"
        and event["params"]["documentURL"] == screen.page.as_uri()
    }
    assert {url for url in asked if not url.startswith("data:")} == {screen.page.as_uri()}


def test_tables_sort_by_every_column(screen, kit):
    toy, fixed, ranks = "Toy", kit.hostile, "Average rank (min)"
    screen.open()
    assert screen.rows("table3") == [toy, fixed, ranks]
    orders = {
        1: (fixed, toy),
        2: (fixed, toy),  # 3.25 before 12.5
        3: (toy, fixed),
        4: (fixed, fixed),  # the missing one stays last
    }
    other = {toy: fixed, fixed: toy}
    for column, firsts in orders.items():
        head = screen.head("table3", column)
        button = head.find_element("css selector", "button")
        for first, word in zip(firsts, ("ascending", "descending"), strict=True):
            screen.run("arguments[0].click()", button)
            assert screen.rows("table3") == [first, other[first], ranks]  # ranks stay below
            assert head.get_attribute("aria-sort") == word
        sorted_by = screen.all('#table3 th[aria-sort]:not([aria-sort="none"])')
        assert sorted_by == [head]


def test_tables_sort_by_keyboard_and_by_difference(screen, kit):
    screen.open()
    head = screen.head("table3", 2)
    head.find_element("css selector", "button").send_keys("\ue007")  # Enter
    assert head.get_attribute("aria-sort") == "ascending"
    assert screen.rows("table3")[0] == kit.hostile
    screen.find("#table3 .sortkey option[value=change]").click()
    assert screen.rows("table3")[0] == "Toy"
    screen.find("#table3 .sortkey option[value=paper]").click()
    assert screen.rows("table3")[0] == kit.hostile


def test_words_that_are_numbers_sort_among_numbers(screen):
    screen.open()
    screen.run("document.getElementById('pairwise').open = true")
    head = screen.head("pairwise", 5)
    screen.run("arguments[0].click()", head.find_element("css selector", "button"))
    shown = [cell.text for cell in screen.all("#pairwise tbody tr > :nth-child(5)")]
    assert shown == ["<0.001", "<0.01", "0.500"]


def test_colours_come_with_marks(screen):
    screen.open()
    cells = {c.get_attribute("class").split()[-1]: c for c in screen.all("#table3 td")}
    assert cells["reproduced"].text.split() == "12.50 ± 0.50 paper 13.50 −1.00✓".split()
    assert cells["differs"].text.split() == "12.00 ± 0.50 paper 10.90 +1.10▲".split()
    script = "return getComputedStyle(arguments[0]).backgroundColor"
    within, outside = (screen.run(script, cells[k]) for k in ("reproduced", "differs"))
    plain = screen.run(script, screen.find("#table3 tbody tr:first-child td:nth-child(4)"))
    assert len({within, outside, plain}) == 3
    words = "reproduced: the difference is at most 1.00"
    mark = cells["reproduced"].find_element("css selector", ".mark")
    assert mark.get_attribute("title") == mark.get_attribute("aria-label") == words


def test_links_lead_somewhere(screen):
    screen.open()
    for link in screen.all('a[href^="#"]'):
        name = screen.run("return arguments[0].hash.slice(1)", link)
        assert screen.run("return document.getElementById(arguments[0]) !== null", name)
    files = screen.run("return [...document.links].map((a) => a.href)")
    for address in (a for a in files if a.startswith("file:") and "#" not in a):
        assert Path(address.removeprefix("file://")).is_file()
    screen.find('#contents a[href="#figure4"]').click()
    assert screen.run("return location.hash") == "#figure4"


def test_what_is_folded_opens_where_a_link_leads_to_it(screen):
    screen.open()
    folded = {"pairwise": "#pairwise", "missing": "#missing > details"}
    for name, css in folded.items():
        assert not screen.find(css).get_property("open")
        screen.run("location.hash = arguments[0]", name)
        screen.wait(lambda _, css=css: screen.find(css).get_property("open"))
    assert screen.find("#missing dt").is_displayed()


def test_csv_can_be_saved_from_the_page_alone(screen, tmp_path):
    screen.open()
    screen.driver.execute_cdp_cmd(
        "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)}
    )
    link = screen.find('#table3 a[download="table3.csv.gz"]')
    screen.run("arguments[0].click()", link)
    target = tmp_path / "table3.csv.gz"
    screen.wait(lambda _: target.is_file())
    assert (
        gzip.decompress(target.read_bytes())
        == (screen.page.parent / "tables/table3.csv").read_bytes()
    )


def test_copy_button(screen):
    screen.open()
    screen.driver.execute_cdp_cmd(
        "Browser.grantPermissions",
        {
            "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"],
        },
    )
    screen.run("document.querySelector('#table3 details.about').open = true")
    button = screen.find("#table3 .copy")
    screen.run("arguments[0].scrollIntoView({ block: 'center', behavior: 'instant' })", button)
    button.click()
    screen.wait(lambda _: button.text == "copied")
    script = "navigator.clipboard.readText().then(arguments[0])"
    assert screen.driver.execute_async_script(script) == "snakemake --cores 8 table3"


@pytest.mark.parametrize("width", [PHONE, 768, DESKTOP])
def test_no_page_scrolls_sideways(screen, width):
    screen.drawn(width=width)
    assert screen.run("return document.documentElement.scrollWidth") <= width
    wide = screen.run("""
        const inner = (e) => e.closest(".scroll, svg") !== null && !e.matches(".scroll, svg");
        return [...document.body.querySelectorAll("*")].filter((e) => !inner(e)
            && e.checkVisibility() && e.getBoundingClientRect().right > innerWidth + 0.5)
            .map((e) => e.outerHTML.slice(0, 80));
    """)
    assert wide == []


def test_wide_table_keeps_its_first_column_on_a_phone(screen):
    screen.open(PHONE)
    box = screen.find("#table3 .scroll")
    assert screen.run("return arguments[0].scrollWidth > arguments[0].clientWidth", box)
    left = "return arguments[0].getBoundingClientRect().left"
    first = screen.find("#table3 tbody tr > :first-child")
    second = screen.find("#table3 tbody tr > :nth-child(2)")
    before = [screen.run(left, cell) for cell in (first, second)]
    screen.run("arguments[0].scrollLeft = 100", box)
    after = [screen.run(left, cell) for cell in (first, second)]
    assert after[0] == before[0] and after[1] == before[1] - 100


def test_reason_of_a_missing_value_is_visible_on_a_phone(screen):
    screen.open(PHONE)
    note = screen.find("#table3-note-1")
    assert note.is_displayed() and note.text == "timeout: fit took longer than 60 s"
    assert screen.find("#table3 td .missing").text == "no result"
    assert screen.find('#table3 td sup a[href="#table3-note-1"]').text == "1"


@pytest.mark.parametrize("dark", [False, True])
def test_text_has_contrast(screen, dark):
    screen.drawn(dark=dark)
    screen.hover(screen.all(f"#figure3 {POINTS}")[0])
    script = (Path(__file__).parent / "contrast.js").read_text()
    found = screen.run(script, 4.5)
    assert found["low"] == []
    assert found["checked"] > 100
