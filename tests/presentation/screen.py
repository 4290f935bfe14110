"""The page as one visitor sees it, in a real browser."""

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

    def open(self, width=DESKTOP, dark=False, height=900):
        self.size(width, height)
        self.scheme(dark)
        self.driver.get(self.page.as_uri())
        return self

    def size(self, width, height=900):
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
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

    def click(self, x, y):
        self.move(x, y)
        for kind in ("mousePressed", "mouseReleased"):
            event = {"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1}
            self.driver.execute_cdp_cmd("Input.dispatchMouseEvent", event)
