"""The sources of the documentation: its code runs, and it leaves nothing out.

The site itself is checked by ``make docs``, in ``site_checks.py``.
"""

import gzip
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from sklearn.datasets import load_iris

import metriclearn.plot
from metriclearn.datasets.load import load_dataset

DOCS = Path(__file__).resolve().parents[2] / "docs"
README = DOCS.parent / "README.md"
PAGES = [README, DOCS / "index.md", *sorted((DOCS / "guide").glob("*.md"))]
WITH_CODE = [page for page in PAGES if "```python" in page.read_text(encoding="utf-8")]


@pytest.mark.parametrize("page", WITH_CODE, ids=lambda page: page.stem)
def test_the_code_of_a_page_runs_from_its_top(page, capsys):
    names: dict = {"__name__": "page"}
    output = ""
    for code in re.findall(r"^```python\n(.*?)^```", page.read_text("utf-8"), re.M | re.S):
        exec(compile(code, str(page), "exec"), names)
        printed = capsys.readouterr().out
        if shown := re.search(r"(^# .*\n)+\Z", code, re.M):  # comments at the end are its output
            assert printed == re.sub(r"^# ", "", shown[0], flags=re.M)
        output += printed
    assert output  # it shows something


def test_the_readme_is_short_and_leads_somewhere():
    text = README.read_text("utf-8")
    assert len(text.split()) <= 900
    links = re.findall(r"\]\(([^)#]+)\)", text)
    assert len(links) > 15
    assert [link for link in links if not (README.parent / link).exists()] == []


def test_every_public_name_is_in_the_reference():
    blocks = re.findall(r"\.\. autosummary::\n(.*?)```", (DOCS / "api.md").read_text(), re.S)
    listed = re.findall(r"^   ([\w.]+)$", "".join(blocks), re.M)
    pictures = [f"plot.{name}" for name in metriclearn.plot.__all__]
    extra = ["estimators.kernels.sample_kernel"]
    assert sorted(listed) == sorted([*metriclearn.__all__, *pictures, *extra])


def test_every_table_and_figure_is_in_the_reproduction_guide():
    paper = yaml.safe_load((DOCS.parent / "conf/experiment/paper.yaml").read_text("utf-8"))
    text = (DOCS / "reproduce.md").read_text("utf-8")
    items = {*paper["experiment"]["tables"], *paper["experiment"]["figures"]}
    assert items <= set(re.findall(r"\w+", text))


def test_the_examples_of_extending_work(kit, tmp_path):
    clone = kit.make_clone(tmp_path / "clone")
    text = (DOCS / "extend.md").read_text("utf-8")
    written = re.findall(r"^```\{code-block\} \w+\n:caption: (\S+)\n\n(.*?)^```", text, re.M | re.S)
    assert [name.rpartition("/")[0] for name, _ in written] == [
        "metriclearn/estimators",
        "conf/method",
        "conf/experiment",
        "conf/dataset",
    ]
    iris = load_iris()
    lines = [
        ",".join([*map(str, row), iris.target_names[kind]])
        for row, kind in zip(iris.data, iris.target)
    ]
    heading = "sepal length,sepal width,petal length,petal width,label"
    table = "\n".join([heading, *lines, ""])
    (tmp_path / "iris.csv").write_text(table)
    (clone / "data/iris.csv.gz").write_bytes(gzip.compress(table.encode()))
    content = load_dataset(tmp_path / "iris.csv").content_hash
    for name, code in written:
        (clone / name).write_text(code.replace('"HASH"', f'"{content}"'))
    job = ["train", "dataset=iris", "method=within_class", "protocol=quick", "out=x.rows.csv"]
    done = subprocess.run(
        [sys.executable, "-m", "metriclearn", *job],
        cwd=clone,
        env={**kit.environment(), "PYTHONPATH": os.fspath(clone)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert re.match(
        r"iris within_class repeat 0\n.*error \d+\.\d\d % \(10 folds\)", done.stdout, re.S
    )
    assert (clone / "x.rows.csv").read_text().count(",ok,") == 10
