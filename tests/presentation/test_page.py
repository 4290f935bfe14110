"""The page as text: what is compared and how, escaped, complete, the same for the same files."""

import base64
import gzip
import json
import re
from html.parser import HTMLParser

import pytest
import small_run

from metriclearn.analysis.verdict import RULE
from metriclearn.files.errors import PipelineError
from metriclearn.presentation.figure import FigureData
from metriclearn.presentation.page.bundle import without_bundle
from metriclearn.presentation.page.environment import lines, read_environment
from metriclearn.presentation.page.folder import read_items
from metriclearn.presentation.page.page import write_report
from metriclearn.presentation.page.parts import families
from metriclearn.presentation.page.prose import to_html
from metriclearn.presentation.table import Table

VOID = {"meta", "link", "img", "br", "hr", "input"}


class Reader(HTMLParser):
    """Elements with their attributes; complains about tags that do not match."""

    def __init__(self, text):
        super().__init__()
        self.found, self.open, self.texts = [], [], []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)

    def all(self, attribute):
        return [a[attribute] for _, a in self.found if attribute in a]


@pytest.fixture(scope="module")
def reader(page):
    return Reader(page.read_text(encoding="utf-8"))


def test_contents_put_items_of_a_name_together():
    labels = ["Headline", "Table 2", "Table 3", "Pairwise", "Ablation k", "Ablation pca"]
    grouped = families([{"label": label} for label in labels])
    assert [(word, [rest for _, rest in members]) for word, members in grouped] == [
        (None, ["Headline"]),
        ("Table", ["2", "3"]),
        (None, ["Pairwise"]),
        ("Ablation", ["k", "pca"]),
    ]


def test_items_in_natural_order(tmp_path):
    empty = json.dumps(FigureData("x", "").to_dict())
    names = ("table10", "table9_text", "ablation_k", "table2", "statistics", "table9", "headline")
    for name in names:
        (tmp_path / f"{name}.json").write_text(empty)
    assert [item.label for item in read_items(tmp_path, FigureData)] == [
        "Headline",
        "Table 2",
        "Table 9",
        "Table 9, text",
        "Table 10",
        "Statistics",
        "Ablation k",
    ]


@pytest.mark.parametrize("text", ["{}", "[1]", '{"name": "x"}', "{"])
def test_a_damaged_file_is_named(tmp_path, text):
    (tmp_path / "table2.json").write_text(text)
    with pytest.raises(PipelineError, match="table2.json: .*delete it and run again"):
        read_items(tmp_path, Table)


def test_caption_and_remarks(reader):
    assert "1-NN error rate (%), ours and the paper's" in reader.texts  # its label is before it
    assert "Fixed splits where the paper has " in reader.texts and "them" in reader.texts
    assert not any("missing." in text for text in reader.texts)  # the page says it in words


def test_findings_are_markdown_and_nothing_else():
    rest = "**b** `c` [l](#t) <i>x</i> ![p](http://x/y.png) [j](javascript:1)"
    html = to_html(f"# A\n\n## B\n\n{rest}")
    assert "<h3>A</h3>" in html and "<h4>B</h4>" in html
    assert '<strong>b</strong> <code>c</code> <a href="#t">l</a> &lt;i&gt;x&lt;/i&gt;' in html
    assert "<img" not in html and "javascript:1</a>" not in html and 'href="javascript' not in html


def test_environment_from_the_times_of_the_rows(tmp_path):
    (tmp_path / "all.times.csv").write_text("dataset,version,numpy\na,0.1,2.0\nb,0.1,2.1\n")
    assert read_environment(tmp_path) == {"version": "0.1", "numpy": "2.0, 2.1"}


def test_environment_lines():
    value = {"commit": "a", "stages": {"train": {"cpu_s": 1234.5}}, "seeds": [0, 1], "gpu": None}
    assert lines(value) == [
        (0, "commit", "a"),
        (0, "stages", None),
        (1, "train", None),
        (2, "cpu_s", "1,234"),
        (0, "seeds", "0, 1"),
        (0, "gpu", "–"),
    ]


def test_page_is_one_file(page, reader):
    text = page.read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>")
    policy = next(a for t, a in reader.found if a.get("http-equiv"))["content"]
    assert policy == (
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
    )
    assert [s for s in reader.all("src") if not s.startswith("data:")] == []
    assert "url(" not in without_bundle(text) and "@import" not in without_bundle(text)
    links = [h for h in reader.all("href") if not h.startswith(("data:", "#"))]
    assert links == [
        "../figures/ranks.svg",
        "uci.rows.csv",  # and not the grid's, which is not there
        "tables/table3.md",
        "tables/table3.tex",
        "../figures/figure3.svg",  # without scripts
        "../figures/figure3.svg",
        "tables/pairwise.md",
    ]
    assert all((page.parent / link).is_file() for link in links)


def test_ids_are_unique_and_anchors_resolve(reader):
    ids = reader.all("id")
    assert len(ids) == len(set(ids))
    anchors = {h[1:] for h in reader.all("href") if h.startswith("#")}
    assert anchors <= set(ids)
    assert {
        "findings",
        "rule",
        "table2",
        "table3",
        "table8",
        "pairwise",
        "figure3",
        "figure4",
        "ranks",
        "missing",
        "environment",
        "table3-note-1",
    } <= anchors


def test_text_is_escaped(kit, page, reader):
    text = page.read_text(encoding="utf-8")
    assert "<img src=x" not in text
    assert kit.hostile in reader.texts
    charts = [a for t, a in reader.found if t == "div" and a.get("class") == "chart"]
    scripts = [a for t, a in reader.found if t == "script"]
    data = {"type": "application/json"}
    rows = {**data, "class": "rows"}
    assert len(charts) == 7
    assert scripts == [data, data, rows, *[data] * 5, {"id": "vega"}, {}]
    assert "<script>alert(1)</script>\n" not in text


def test_pictures_have_words_for_those_who_do_not_see_them(reader):
    assert [a["alt"] for t, a in reader.found if t == "img"] == ["Ranks: Average ranks"]


def test_csv_is_in_the_page(page, reader):
    address = next(a["href"] for _, a in reader.found if a.get("download") == "table3.csv.gz")
    head, data = address.split(",", 1)
    assert head == "data:application/gzip;base64"
    assert (
        gzip.decompress(base64.b64decode(data)) == (page.parent / "tables/table3.csv").read_bytes()
    )


def test_the_charts_library_is_in_the_page_once_and_can_be_left_out(page):
    text = page.read_text(encoding="utf-8")
    rest = without_bundle(text)
    assert text.count("window.vegaEmbed") == 1 and "window.vegaEmbed" not in rest
    assert len(text) - len(rest) > 500_000 and len(rest) < 100_000
    assert '<script id="vega"></script>' in rest and rest.endswith("</html>")
    assert without_bundle(rest) == rest


def test_a_page_without_charts_has_no_library(kit, tmp_path):
    folder = kit.make_folder(tmp_path)
    for path in folder.glob("figures/*.json"):
        path.unlink()
    assert len(kit.make_page(folder).read_text("utf-8")) < 100_000


def test_the_rule_stands_once_and_verdicts_say_their_limit(reader):
    assert [text for text in reader.texts if RULE in text] == [RULE]
    titles = [a["title"] for t, a in reader.found if a.get("class") == "mark"]
    assert titles == [
        "reproduced: the difference is at most 1.00",
        "ours is higher by more than 1.00",
        "reproduced: the difference is at most 4.00",
        "ours is lower by more than 2.00",
    ]


def test_without_a_verdict_the_page_claims_nothing(kit, tmp_path):
    folder = kit.make_folder(tmp_path)
    for table in small_run.tables():
        for cell in table.cells():
            cell.verdict = cell.limit = None
        path = folder / f"results/tables/{table.name}.json"
        path.write_text(json.dumps(table.to_dict()))
    (folder / "figures/agreement.json").unlink()
    text = without_bundle(kit.make_page(folder).read_text("utf-8"))
    body = text[text.index("<body>") : text.index("<script>")]
    assert "paper </span>13.50" in body and RULE not in body
    assert 'id="glance"' not in body and "reproduced" not in body
    assert not any(mark in body for mark in "✓▲▼")


def test_same_files_give_the_same_bytes(kit, page, tmp_path):
    again = kit.make_page(kit.make_folder(tmp_path / "elsewhere"))
    assert again.read_bytes() == page.read_bytes()


def test_a_page_alone_has_no_relative_links(kit, tmp_path):
    folder = kit.make_folder(tmp_path)
    for end in ("md", "tex", "svg", "rows.csv"):
        for path in folder.rglob(f"*.{end}"):
            path.unlink()
    links = Reader(kit.make_page(folder).read_text("utf-8")).all("href")
    assert [h for h in links if not h.startswith(("data:", "#"))] == []


def test_a_banner_stands_on_top(kit, tmp_path):
    folder = kit.make_folder(tmp_path)
    out = folder / "report.html"
    places = ("Toy", folder / "results", folder / "figures", out)
    assert 'id="banner"' not in write_report(*places)
    page = write_report(*places, banner="a smoke run & no more")
    banner = '<p id="banner" class="key differs" role="note">a smoke run &amp; no more</p>'
    assert page.index(banner) < page.index("<nav")


def test_nothing_to_show_is_an_error(tmp_path):
    with pytest.raises(PipelineError, match="no tables in .*; make them first: snakemake"):
        write_report("x", tmp_path, tmp_path, tmp_path / "report.html")
    assert not (tmp_path / "report.html").exists()


@pytest.mark.parametrize(
    "experiment, overrides, expected",
    [
        ("paper", [], "snakemake --cores 8 table3"),
        ("smoke", [], "snakemake --cores 8 table3 --config experiment=smoke"),
        (
            "paper",
            ["method.C=0.1", "experiment.methods=[pcml]"],
            "snakemake --cores 8 table3 --config "
            "'overrides=[method.C=0.1,experiment.methods=[pcml]]'",
        ),
    ],
)
def test_command_that_makes_an_item_again(experiment, overrides, expected):
    from metriclearn.experiment.commands import item_command
    from metriclearn.experiment.run import Run

    assert item_command(Run(experiment, overrides)).format(item="table3") == expected


def test_the_counts_are_those_of_the_tables_with_verdicts(page):
    text = page.read_text(encoding="utf-8")
    glance = text[text.index('<section id="glance">') : text.index('<section id="table2">')]
    counts = [
        [int(cell) for cell in re.findall(r">(\d+)</td>", row)] for row in glance.split("<tr>")
    ]
    assert re.findall(r'<a href="#(\w+)">', glance) == ["table3", "table8"]
    assert counts[2:] == [[1, 1, 0, 4, 1], [1, 0, 1, 0, 0]]
