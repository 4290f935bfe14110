"""The charts of the page in a real browser: marks, tooltips, size, dark mode."""

import json

from screen import BARS, LABELS, LINES, PHONE, POINTS, TIP


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
        assert screen.rows("table3")[0] == "Toy"
    finally:
        screen.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
