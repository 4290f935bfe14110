"""The page in a real browser: no errors, no requests, sorting, values, phone, dark mode."""

import json
from pathlib import Path

import pytest

PHONE, DESKTOP = 360, 1280
TIP = "#vg-tooltip-element"
WAITING = """
return document.querySelectorAll('.chart:not([data-state="drawn"])').length === 0
"""
PLACE = """
arguments[0].scrollIntoView({ block: "center", behavior: "instant" });
const box = arguments[0].getBoundingClientRect();
return [box.x + box.width / 2, box.y + box.height / 2];
"""
POINTS, BARS = "g.mark-symbol.role-mark > path", "g.mark-rect.role-mark > path"
LINES, LABELS = "g.mark-line path", ".role-axis-label text"


class Screen:
    """The page as one visitor sees it."""

    def __init__(self, driver, page):
        self.driver = driver
        self.page = page

    def open(self, width=DESKTOP, dark=False):
        self.size(width)
        self.scheme(dark)
        self.driver.get(self.page.as_uri())
        return self

    def size(self, width):
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)

    def scheme(self, dark):
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})

    def drawn(self, **how):
        """Open the page and wait for its charts."""
        self.open(**how)
        self.wait(lambda _: self.run(WAITING))
        return self

    def wait(self, condition):
        from selenium.webdriver.support.ui import WebDriverWait

        return WebDriverWait(self.driver, 60, poll_frequency=0.05).until(condition)

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def find(self, css):
        return self.driver.find_element("css selector", css)

    def all(self, css):
        return self.driver.find_elements("css selector", css)

    def rows(self, table):
        return [cell.text for cell in self.all(f"#{table} tbody tr > :first-child")]

    def head(self, table, column):
        return self.find(f"#{table} thead th:nth-child({column})")

    def hover(self, element):
        """Move the mouse onto a mark; what the tooltip says, by the name of each value."""
        self.move(0, 0)
        self.wait(lambda _: not self.all(f"{TIP}.visible"))
        x, y = self.run(PLACE, element)
        self.move(x, y)
        tip = self.wait(lambda _: self.find(f"{TIP}.visible"))
        lines = [[cell.text for cell in row] for row in self.table_cells(tip)]
        return {key.rstrip(":"): text for key, text in lines}

    def labels(self, element):
        marks = element.find_elements("css selector", "[aria-label]")
        return [mark.get_attribute("aria-label") for mark in marks]

    def table_cells(self, element):
        rows = element.find_elements("css selector", "tr")
        return [row.find_elements("css selector", "td") for row in rows]

    def move(self, x, y):
        self.driver.execute_cdp_cmd(
            "Input.dispatchMouseEvent", {"type": "mouseMoved", "x": x, "y": y}
        )


@pytest.fixture
def screen(driver, page):
    return Screen(driver, page)


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


def test_tables_sort_by_every_column(screen):
    screen.open()
    assert screen.rows("table3") == ["PCML", "NCML", "NCA"]
    orders = {
        1: (["NCA", "NCML", "PCML"], ["PCML", "NCML", "NCA"]),
        2: (["NCML", "PCML", "NCA"], ["PCML", "NCML", "NCA"]),  # the missing one stays last
        3: (["NCA", "PCML", "NCML"], ["NCML", "PCML", "NCA"]),  # 3.25 before 30
        4: (["NCML", "PCML", "NCA"], ["PCML", "NCML", "NCA"]),
    }
    for column, (up, down) in orders.items():
        head = screen.head("table3", column)
        button = head.find_element("css selector", "button")
        for order, word in ((up, "ascending"), (down, "descending")):
            screen.run("arguments[0].click()", button)
            assert [t.split("\n")[0] for t in screen.rows("table3")] == order
            assert head.get_attribute("aria-sort") == word
        sorted_by = screen.all('#table3 th[aria-sort]:not([aria-sort="none"])')
        assert sorted_by == [head]


def test_tables_sort_by_keyboard_and_by_difference(screen):
    screen.open()
    head = screen.head("table3", 3)
    head.find_element("css selector", "button").send_keys("\ue007")  # Enter
    assert head.get_attribute("aria-sort") == "ascending"
    assert screen.rows("table3") == ["NCA", "PCML", "NCML"]
    screen.find("#table3 .sortkey option[value=change]").click()
    assert screen.rows("table3") == ["PCML", "NCML", "NCA"]
    screen.find("#table3 .sortkey option[value=paper]").click()
    assert screen.rows("table3") == ["NCML", "PCML", "NCA"]


def test_words_that_are_numbers_sort_among_numbers(screen):
    screen.open()
    head = screen.head("pairwise", 5)
    screen.run("arguments[0].click()", head.find_element("css selector", "button"))
    shown = [cell.text for cell in screen.all("#pairwise tbody tr > :nth-child(5)")]
    assert shown == ["<0.001", "3.0e−02", "0.500"]


def test_colours_come_with_marks(screen):
    screen.open()
    cells = {c.get_attribute("class").split()[-1]: c for c in screen.all("#table3 td")}
    assert cells["reproduced"].text == "12.50 ± 0.50\npaper 13.50 (−1.00) ✓"
    assert cells["differs"].text == "12.00 ± 0.50\npaper 10.90 (+1.10) ▲"
    script = "return getComputedStyle(arguments[0]).backgroundColor"
    within, outside = (screen.run(script, cells[k]) for k in ("reproduced", "differs"))
    plain = screen.run(script, screen.find("#table3 tbody tr:first-child td:nth-child(3)"))
    assert len({within, outside, plain}) == 3
    words = "reproduced: the difference is at most 1.00"
    mark = cells["reproduced"].find_element("css selector", ".mark")
    assert mark.get_attribute("title") == mark.get_attribute("aria-label") == words


def test_charts_have_every_mark(screen):
    screen.drawn()
    assert len(screen.all(f"#figure1 {POINTS}")) == 5
    assert len(screen.all(f"#figure3 {POINTS}")) == 5
    assert len(screen.all(f"#figure3 {LINES}")) == 2
    assert len(screen.all(f"#figure4 {BARS}")) == 3  # and one is missing
    assert len(screen.all("#figure7 g.mark-area path")) == 3
    texts = [text.text for text in screen.all("#figure4 g.mark-text.role-mark text")]
    assert texts == ["0.25", "12", "300", "no result"]
    legend = [text.text for text in screen.all("#figure3 .role-legend-label text")]
    assert legend == ["PCML", "NCML"]


def test_hover_says_the_exact_value(screen):
    screen.drawn()
    points, bars = screen.all(f"#figure3 {POINTS}"), screen.all(f"#figure4 {BARS}")
    assert screen.hover(points[1]) == {"method": "PCML", "C": "0.1", "error rate (%)": "24.50"}
    assert screen.hover(points[3]) == {"method": "NCML", "C": "0.01", "error rate (%)": "28.00"}
    said = "12.5 s, mean of 10 folds"
    assert screen.hover(bars[1]) == {"data set": "Toy", "method": "NCA", "training time": said}
    gaps = screen.all(f"#figure1 {POINTS}")
    assert screen.hover(gaps[4]) == {"gap": "paper's formula", "iteration": "2", "value": "−30"}


def test_hover_says_why_there_is_no_value_and_shows_markup_as_text(screen, kit):
    screen.drawn()
    missing = screen.all("#figure4 g.mark-text.role-mark text")[-1]
    reason = "no result, timeout: fit took longer than 60 s"
    assert screen.hover(missing) == {
        "data set": kit.hostile,
        "method": "NCA",
        "training time": reason,
    }
    assert screen.all("img[onerror]") == [] and screen.all(f"{TIP} img") == []


def test_hover_near_a_curve_finds_its_point(screen):
    screen.drawn()
    point = screen.all(f"#figure7 {POINTS}")[4]
    show = "return getComputedStyle(arguments[0]).opacity"
    assert screen.run(show, point) == "0"
    assert screen.hover(point) == {
        "method": "PCML (85.9 %)",
        "false positive rate": "0.25",
        "true positive rate": "0.800",
        "deviation": "0.050",
    }
    screen.wait(lambda _: screen.run(show, screen.all(f"#figure7 {POINTS}")[4]) == "1")


def test_charts_are_described(screen):
    screen.drawn()
    for chart in screen.all(".chart"):
        spec = chart.find_element("xpath", "following-sibling::script")
        words = json.loads(spec.get_attribute("textContent"))["description"]
        assert words and chart.get_attribute("aria-label") == words
        assert chart.get_attribute("role") == "graphics-document"
    assert any("24.5" in text for text in screen.labels(screen.find("#figure3 svg")))


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


def test_csv_can_be_saved_from_the_page_alone(screen, tmp_path):
    screen.open()
    screen.driver.execute_cdp_cmd(
        "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)}
    )
    link = screen.find('#table3 a[download="table3.csv"]')
    screen.run("arguments[0].click()", link)
    target = tmp_path / "table3.csv"
    screen.wait(lambda _: target.is_file())
    assert target.read_bytes() == (screen.page.parent / "tables/table3.csv").read_bytes()


def test_copy_button(screen):
    screen.open()
    screen.driver.execute_cdp_cmd(
        "Browser.grantPermissions",
        {
            "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"],
        },
    )
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


def test_charts_fill_their_place_also_when_it_changes(screen):
    screen.drawn()
    width = "return arguments[0].getBoundingClientRect().width"

    def fits(_):
        boxes = [
            (chart, chart.find_element("css selector", "svg")) for chart in screen.all(".chart")
        ]
        sizes = [[screen.run(width, part) for part in pair] for pair in boxes]
        return all(0.9 * place <= picture <= place + 0.5 for place, picture in sizes)

    assert fits(None)
    screen.size(PHONE)
    screen.wait(fits)
    boxes = screen.all("#figure4 .chart")
    tops = [screen.run("return arguments[0].getBoundingClientRect().top", box) for box in boxes]
    assert tops[1] > tops[0]  # below each other


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


def test_dark_mode_changes_the_page_and_its_charts(screen):
    colours = f"""
        const of = (css) => getComputedStyle(document.querySelector(`#figure3 ${{css}}`));
        return [getComputedStyle(document.body).backgroundColor, of("{LINES}").stroke,
            of("{LABELS}").fill, getComputedStyle(document.querySelector("#ranks img")).filter];
    """
    light = screen.drawn().run(colours)
    screen.scheme(dark=True)  # changes while the page is open
    dark = screen.run(colours)
    assert light[0] == "rgb(255, 255, 255)" and dark[0] == "rgb(20, 23, 27)"
    assert all(a != b for a, b in zip(light, dark, strict=True))
    assert screen.drawn(dark=True).run(colours) == dark
    screen.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert screen.run(colours)[1] == light[1]  # on paper as in light
    screen.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_tables_and_links_to_the_figures_are_shown_without_scripts(screen):
    screen.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        screen.open()
        link = screen.find("#figure3 noscript a")
        assert link.is_displayed() and link.text == "figure3.svg"
        assert screen.find("#ranks img").is_displayed()
        assert screen.rows("table3") == ["PCML", "NCML", "NCA"]
    finally:
        screen.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
