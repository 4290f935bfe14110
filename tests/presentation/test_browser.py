"""The page in a real browser: no errors, no requests, sorting, values, phone, dark mode."""

import json
from pathlib import Path

import pytest

PHONE, DESKTOP = 360, 1280
BACKGROUND = "return getComputedStyle(document.body).backgroundColor"
PLACE = """
const plot = arguments[0], [s, p] = arguments[1], svg = plot.querySelector("svg");
plot.scrollIntoView({ block: "center", behavior: "instant" });
const { series } = JSON.parse(plot.querySelector("script").textContent);
const at = new DOMPoint(...series[s].points[p].slice(0, 2)).matrixTransform(svg.getScreenCTM());
return [at.x, at.y];
"""


class Screen:
    """The page as one visitor sees it."""

    def __init__(self, driver, page):
        self.driver = driver
        self.page = page

    def open(self, width=DESKTOP, dark=False):
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {
                "width": width,
                "height": 900,
                "deviceScaleFactor": 1,
                "mobile": False,
            },
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
        self.driver.get(self.page.as_uri())
        return self

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

    def hover(self, plot, series, point):
        """Move the mouse onto a point; what the read-out says."""
        x, y = self.run(PLACE, plot, [series, point])
        self.driver.execute_cdp_cmd(
            "Input.dispatchMouseEvent", {"type": "mouseMoved", "x": x + 1, "y": y + 1}
        )
        return plot.find_element("css selector", ".tip").text


@pytest.fixture
def screen(driver, page):
    return Screen(driver, page)


def test_loads_without_complaints_and_requests(screen):
    for kind in ("browser", "performance"):
        screen.driver.get_log(kind)
    screen.open()
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
        2: (["NCML", "PCML", "NCA"], ["PCML", "NCML", "NCA"]),  # the hole stays last
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


def test_colours_come_with_marks(screen):
    screen.open()
    cells = {c.get_attribute("class").split()[-1]: c for c in screen.all("#table3 td")}
    assert cells["within"].text == "12.50 ± 0.50\npaper 13.50 −1.00 ✓"
    assert cells["outside"].text == "12.00 ± 0.50\npaper 10.90 +1.10 ▲"
    script = "return getComputedStyle(arguments[0]).backgroundColor"
    within, outside = (screen.run(script, cells[k]) for k in ("within", "outside"))
    plain = screen.run(script, screen.find("#table3 tbody tr:first-child td:nth-child(3)"))
    assert len({within, outside, plain}) == 3


def test_hover_says_the_exact_value(screen):
    screen.open()
    lines, bars = screen.find("#figure3 .plot"), screen.find("#figure4 .plot")
    assert screen.hover(lines, 0, 1) == "PCML · C = 0.1: 24.50 %"
    assert screen.hover(lines, 1, 0) == "NCML · C = 0.01: 28.00 %"
    assert screen.hover(bars, 1, 0) == "NCA · Toy: 12.5 s"
    hole = "NCA · Big: no result, timeout: fit took longer than 60 s"
    assert screen.hover(bars, 1, 1) == hole


def test_arrow_keys_read_the_values(screen):
    screen.open()
    plot = screen.find("#figure3 .plot")
    said = []
    for key in ("\ue014", "\ue014", "\ue015", "\ue012"):  # right, right, down, left
        plot.send_keys(key)
        said.append(plot.find_element("css selector", ".tip").text)
    assert said[1:] == [
        "PCML · C = 1: 26.25 %",
        "NCML · C = 0.1: 27.00 %",
        "NCML · C = 0.01: 28.00 %",
    ]
    plot.send_keys("\ue00c")  # Escape
    assert not plot.find_element("css selector", ".tip").is_displayed()


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
    from selenium.webdriver.support.ui import WebDriverWait

    screen.open()
    screen.driver.execute_cdp_cmd(
        "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)}
    )
    link = screen.find('#table3 a[download="table3.csv"]')
    screen.run("arguments[0].click()", link)
    target = tmp_path / "table3.csv"
    WebDriverWait(screen.driver, 60).until(lambda _: target.is_file())
    assert target.read_bytes() == (screen.page.parent / "tables/table3.csv").read_bytes()


def test_copy_button(screen):
    from selenium.webdriver.support.ui import WebDriverWait

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
    WebDriverWait(screen.driver, 60, poll_frequency=0.05).until(lambda _: button.text == "copied")
    script = "navigator.clipboard.readText().then(arguments[0])"
    assert screen.driver.execute_async_script(script) == "snakemake --cores 8 table3"


@pytest.mark.parametrize("width", [PHONE, 768, DESKTOP])
def test_no_page_scrolls_sideways(screen, width):
    screen.open(width)
    assert screen.run("return document.documentElement.scrollWidth") <= width
    wide = screen.run("""
        const inner = (e) => e.closest(".scroll, .plot") !== null && !e.matches(".scroll, .plot");
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


def test_reason_of_a_hole_is_visible_on_a_phone(screen):
    screen.open(PHONE)
    note = screen.find("#table3-note-1")
    assert note.is_displayed() and note.text == "timeout: fit took longer than 60 s"
    assert screen.find("#table3 td .hole").text == "no result"
    assert screen.find('#table3 td sup a[href="#table3-note-1"]').text == "1"


@pytest.mark.parametrize("dark", [False, True])
def test_text_has_contrast(screen, dark):
    screen.open(dark=dark)
    screen.hover(screen.find("#figure3 .plot"), 0, 0)
    script = (Path(__file__).parent / "contrast.js").read_text()
    found = screen.run(script, 4.5)
    assert found["low"] == []
    assert found["checked"] > 100


def test_dark_mode_changes_the_page_and_its_charts(screen):
    line = "return getComputedStyle(document.querySelector('.s-pcml .line')).stroke"
    light = screen.open().run(BACKGROUND), screen.run(line)
    dark = screen.open(dark=True).run(BACKGROUND), screen.run(line)
    assert light[0] == "rgb(255, 255, 255)" and dark[0] == "rgb(20, 23, 27)"
    assert light[1] != dark[1]


def test_tables_and_charts_are_there_without_scripts(screen):
    screen.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        screen.open()
        assert screen.find("#figure3 svg.chart").is_displayed()
        assert len(screen.all("#figure3 svg.chart .dot")) == 5
        assert screen.rows("table3") == ["PCML", "NCML", "NCA"]
    finally:
        screen.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
