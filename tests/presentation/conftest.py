"""A small folder of results with every kind of table and figure, its page, and a browser."""

import os
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from metriclearn.files.store import write_json, write_text

sys.path.insert(0, str(Path(__file__).parent))  # for small_run and screen

FILES = {
    "results/tables/table3.csv": "dataset,pcml\ntoy,12.5\n",
    "results/tables/table3.md": "**Table 3**\n",
    "results/tables/table3.tex": "% empty\n",
    "results/tables/pairwise.md": "**Pairwise**\n",
    "results/findings.md": """\
# In short

- **PCML** is [second](#table3), see `rank`.

| | ours |
|---|--:|
| PCML | 2.0 |

<script>alert(1)</script>
""",
    "results/provenance.json": '{"commit": "abc1234", "stages": {"train": {"cpu_s": 1234.5}},'
    ' "seeds": [0, 1], "note": "<b>&"}\n',
    "figures/figure3.csv": "method,value,error\npcml,0.01,25.0\n",
    "figures/figure3.svg": '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"/>\n',
    "figures/ranks.csv": "method,rank\npcml,2.0\n",
    "figures/ranks.svg": '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">'
    '<script>document.title = "x"</script><circle r="3"/></svg>\n',
}


def make_folder(folder):
    import small_run

    for name, text in FILES.items():
        write_text(Path(folder) / name, text)
    for table in small_run.tables():
        write_json(Path(folder) / f"results/tables/{table.name}.json", table.to_dict())
    for figure in small_run.figures():
        write_json(Path(folder) / f"figures/{figure.name}.json", figure.to_dict())
    return Path(folder)


def make_page(folder):
    from metriclearn.presentation.page.page import write_report

    out = folder / "results/report.html"
    write_report("Toy & report", folder / "results", folder / "figures", out)
    return out


@pytest.fixture(scope="session")
def kit():
    import small_run

    return SimpleNamespace(make_folder=make_folder, make_page=make_page, hostile=small_run.HOSTILE)


@pytest.fixture(scope="session")
def page(tmp_path_factory):
    return make_page(make_folder(tmp_path_factory.mktemp("report")))


def find_browser():
    """Paths of the browser and of its driver, None where there is none."""
    return shutil.which("chromium") or shutil.which("google-chrome"), shutil.which("chromedriver")


@pytest.fixture(scope="session")
def driver(tmp_path_factory):
    """A headless Chromium. Without one the tests are skipped, unless it is required."""
    binary, driver = find_browser()
    if not binary or not driver:
        reason = "no Chromium with its driver; apt-get install chromium chromium-driver"
        if os.environ.get("METRICLEARN_BROWSER") == "required":
            pytest.fail(reason)
        pytest.skip(reason)
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        f"--user-data-dir={tmp_path_factory.mktemp('profile')}",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    service = webdriver.ChromeService(driver)
    browser = webdriver.Chrome(options=options, service=service)
    browser.set_page_load_timeout(120)
    browser.set_script_timeout(60)
    yield browser
    browser.quit()


@pytest.fixture
def screen(driver, page):
    from screen import Screen

    return Screen(driver, page)
