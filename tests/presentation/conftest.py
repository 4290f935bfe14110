"""A small folder of results with every kind of table and figure, its page, and a browser."""

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from metriclearn.files.store import write_json, write_text

sys.path.insert(0, str(Path(__file__).parent))  # for small_run, screen and browser

from browser import driver  # noqa: E402

__all__ = ["driver"]

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
    "results/uci.rows.csv": "dataset,method\ntoy,pcml\n",
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


@pytest.fixture
def screen(driver, page):
    from screen import Screen

    return Screen(driver, page)
