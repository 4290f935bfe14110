"""The page as text: what is compared and how, escaped, complete, the same for the same files."""

import base64
import json
import re
from html.parser import HTMLParser

import pytest

from metriclearn.files.errors import PipelineError
from metriclearn.presentation.page.axes import Linear, Log, linear_axis, nice_step, symlog_axis
from metriclearn.presentation.page.compare import compared, plain, verdict
from metriclearn.presentation.page.environment import lines, read_environment
from metriclearn.presentation.page.folder import caption_and_remarks, read_items, read_tables
from metriclearn.presentation.page.grids import make_grid
from metriclearn.presentation.page.holes import short_holes
from metriclearn.presentation.page.page import families, write_report
from metriclearn.presentation.page.panels import make_panels
from metriclearn.presentation.page.printed import printed_grid
from metriclearn.presentation.page.prose import to_html

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


@pytest.mark.parametrize(
    "ours, std, paper, expected",
    [
        (10.0, 0.5, 11.0, "within"),  # exactly two deviations
        (10.0, 0.5, 11.01, "below"),
        (10.0, 0.5, 8.99, "above"),
        (10.0, 0.0, 10.0, "within"),
        (10.0, None, 11.0, ""),
        (None, None, 11.0, ""),
        (10.0, 0.5, None, ""),
    ],
)
def test_verdict(ours, std, paper, expected):
    assert verdict(ours, std, paper) == expected


def test_compared_cell():
    cell = compared({"ours": "1234.567", "std": "2.5", "paper": "1239.99", "note": ""}, "ours")
    assert (cell.text, cell.spread, cell.paper) == ("1,234.57", "± 2.50", "1,239.99")
    assert (cell.change, cell.verdict, cell.mark, cell.hole) == ("−5.42", "below", "▼", False)
    same = compared({"ours": "1.001", "paper": "1.0"}, "ours")
    assert (same.change, same.verdict) == ("0.00", "")
    assert compared({"ours": "7", "paper": "7"}, "ours", digits=0).change == "="


@pytest.mark.parametrize(
    "text, shown, value",
    [
        ("31.24567", "31.25", 31.24567),
        ("0.000023", "2.3e−05", 2.3e-5),
        ("12", "12", 12.0),
        ("abc", "abc", "abc"),
        ("", "", None),
        ("nan", "", None),
    ],
)
def test_plain_cell(text, shown, value):
    assert (plain(text).text, plain(text).ours_value) == (shown, value)


def test_errors_grid(kit, page):
    item = next(i for i in read_tables(page.parent) if i.name == "table3")
    grid = make_grid(item, {"pcml": "PCML"})
    assert grid.header == ["Method", "Toy", kit.hostile, "Average rank (min)"]
    assert [row[0].text for row in grid.rows] == ["PCML", "ncml", "nca"]
    assert [[c.verdict for c in row[1:]] for row in grid.rows] == [
        ["within", "", ""],
        ["above", "", ""],
        ["", "", ""],
    ]
    assert [[c.best for c in row[1:]] for row in grid.rows] == [
        [False, False, False],
        [True, False, True],
        [False, True, False],
    ]
    assert grid.counts() == {"within": 1, "outside": 1, "unjudged": 4, "holes": 1}
    assert item.caption == "Table 3: 1-NN error rate (%), ours and the paper's."


def test_variants_grid(page, reader):
    [item] = [item for item in read_tables(page.parent) if item.name == "ablation_k"]
    grid = make_grid(item, {"pcml": "PCML"})
    assert grid.header == ["Method", "Variant", "Toy", "Mean of 1"]
    assert [[cell.text for cell in row] for row in grid.rows] == [
        ["PCML", "k = 1", "12.50", "12.50"],
        ["PCML", "k = 2", "12.00", "12.00"],
        ["ncml", "k = 1", "11.50", ""],
        ["ncml", "k = 2", "", ""],
    ]
    assert [row[2].best for row in grid.rows] == [False, True, False, False]
    assert [row[2].paper for row in grid.rows] == ["13.50", "13.50", "10.90", "10.90"]
    assert grid.rows[3][2].note == "timeout: longer than 60 s" and grid.counts()["holes"] == 1
    assert not grid.compares  # it tries choices: no part of how much comes back
    # The remark on the Markdown's brackets is not about these cells.
    text = "".join(reader.texts)
    assert "All else as in Tables 3 and 5." in text and "In brackets" not in text


def test_matching_grid(page):
    item = next(i for i in read_tables(page.parent) if i.name == "table8")
    grid = make_grid(item, {})
    assert grid.header == ["Method", "Preprocessing", "rank 1", "rank 25", "fit (s)"]
    assert grid.numeric == [False, False, True, True, True]
    assert [c.text for c in grid.rows[0]] == ["pcml", "PCA", "17.00", "75.00", "0.52"]
    assert [c.verdict for c in grid.rows[0]] == ["", "", "within", "below", ""]


def test_other_tables_are_shown_as_printed(kit, page):
    [item] = [item for item in read_tables(page.parent) if item.name == "pairwise"]
    assert make_grid(item, {}) is None
    grid = printed_grid(item.markdown)
    assert grid.header == ["Data set", "Method", "PCML", "NCA", "Best"]
    assert grid.numeric == [False, False, True, True, False]
    assert [[cell.text for cell in row] for row in grid.rows] == [
        ["Toy", "PCML", "", "−3.50 (2–1)", "PCML 1.25"],
        ["Toy", kit.hostile, "+1,200.00", "−", ""],  # the name above holds for this row too
        ["Zoo", "PCML", "0.5e-3", "<0.001", "NCA 3.00"],
    ]
    assert [[cell.ours_value for cell in row[2:4]] for row in grid.rows] == [
        [None, -3.5],
        [1200.0, None],
        [0.0005, 0.001],
    ]
    assert [row[0].note for row in grid.rows] == ["one split", "one split", None]
    assert [row[3].best for row in grid.rows] == [True, False, False]
    late = grid.rows[1][3]
    assert late.hole and late.note == "timeout: NCA _late_" and grid.counts()["holes"] == 1
    assert printed_grid("**No table.**\n\nWords.\n") is None


def test_contents_put_items_of_a_name_together():
    labels = ["Headline", "Table 2", "Table 3", "Pairwise", "Ablation k", "Ablation pca"]
    grouped = families([{"label": label} for label in labels])
    assert [(word, [rest for _, rest in members]) for word, members in grouped] == [
        (None, ["Headline"]),
        ("Table", ["2", "3"]),
        (None, ["Pairwise"]),
        ("Ablation", ["k", "pca"]),
    ]


def test_one_measure_puts_preprocessings_side_by_side(tmp_path):
    head = "images,feature,preprocess,method,measure,folds,ours,std,paper,best,fit_s,note"
    rows = [
        "faces,sift,plain,pcml,accuracy,10,80,1,81,0,0.5,",
        "faces,sift,whiten,pcml,accuracy,10,82,1,81,1,0.6,",
        "faces,sift,,attribute_classifiers,accuracy,,,,85.5,0,,not a metric",
    ]
    (tmp_path / "table6.csv").write_text("\n".join([head, *rows]) + "\n")
    grid = make_grid(read_items(tmp_path)[0], {})
    assert grid.header == ["Method", "PCA", "whitened", "fit (s)"]
    assert [[c.text for c in row] for row in grid.rows] == [
        ["pcml", "80.00", "82.00", "0.6"],
        ["Attribute Classifiers", "", "", ""],
    ]
    assert [c.paper for c in grid.rows[1]] == ["", "85.50", "85.50", ""]
    assert grid.counts()["holes"] == 0 and grid.notes() == {"not a metric": 1}


def test_items_in_natural_order(tmp_path):
    for name in ("table10", "ablation_k", "table2", "statistics", "pairwise", "headline"):
        (tmp_path / f"{name}.csv").write_text("a\n1\n")
    assert [i.label for i in read_items(tmp_path)] == [
        "Headline",
        "Table 2",
        "Table 10",
        "Pairwise",
        "Statistics",
        "Ablation k",
    ]


def test_caption_and_remarks():
    text = "**A \\* b.**\n\n| x |\n| --- |\n\n<sup>a</sup> note\n\nFirst.\n\nSecond.\n"
    assert caption_and_remarks(text) == ("A \\* b.", ["First.", "Second."])
    assert caption_and_remarks("plain\n") == ("", ["plain"])


def test_sweep_panel(page):
    item = next(i for i in read_items(page.parents[1] / "figures") if i.name == "figure3")
    caption, [panel] = make_panels(item, {"toy": "Toy", "pcml": "PCML"})
    assert caption == "Error rate against C on Toy"
    assert [(s.name, [(p.x, p.y) for p in s.points]) for s in panel.series] == [
        ("PCML", [(0.01, 25.0), (0.1, 24.5), (1.0, 26.25)]),
        ("ncml", [(0.01, 28.0), (0.1, 27.0)]),
    ]
    assert isinstance(panel.x, Log) and panel.y == Linear(24.0, 28.0)


def test_gap_panels_allow_negative_values(tmp_path):
    head = "dataset,method,status,message,solver,C,n_samples,n_pairs,iteration,gap,paper_gap"
    rows = [
        f"toy,pcml,ok,,libsvm,0.9,1000,4000,{i},{gap},{formula}"
        for i, gap, formula in ((1, 100.0, 160.0), (2, 1.0, -30.0), (3, 0.01, ""))
    ]
    (tmp_path / "figure1.csv").write_text("\n".join([head, *rows]) + "\n")
    caption, [panel] = make_panels(read_items(tmp_path)[0], {})
    assert caption == "Duality gap per iteration: pcml on toy, C = 0.9"
    assert panel.title == "alternation with LibSVM: 1,000 samples, 4,000 pairs"
    assert [p.text for p in panel.series[1].points] == ["iteration 1: 160", "iteration 2: -30"]
    places = [panel.y.place(v) for v in (-30.0, 0.0, 0.01, 1.0, 160.0)]
    assert places == sorted(places) and 0 < places[0] and places[-1] < 1


def test_axes():
    assert [nice_step(span) for span in (1.0, 4.0, 10.0, 37.0)] == [0.2, 1.0, 2.0, 10.0]
    assert linear_axis([24.5, 28.0]) == Linear(24.0, 28.0)
    assert [t for _, t in Linear(-1, 1).ticks()] == ["−1", "−0.5", "0", "0.5", "1"]
    assert [t for _, t in Log(5e-5, 2e4).ticks()] == ["10⁻⁴", "0.01", "1", "100", "10⁴"]
    axis = symlog_axis([-30.0, 160.0], [100.0, 1.0])
    assert axis.linear == 10.0 and [v for v, _ in axis.ticks()] == [-10.0, 0.0, 10.0, 100.0]


def test_figure_without_results_is_not_drawn(tmp_path):
    (tmp_path / "figure4.csv").write_text(
        "dataset,title,method,method_title,folds,fit_cpu_s,status,message\n"
        "toy,Toy,pcml,PCML,,,unavailable,no file\n"
    )
    assert make_panels(read_items(tmp_path)[0], {}) == ("Training time", [])


def test_holes_are_said_shortly():
    late, lost = "timeout: late", "unavailable: lost"
    cells = {
        ("Toy", "A"): None,
        ("Toy", "B"): late,
        ("Big", "A"): None,
        ("Big", "B"): late,
        ("Gone", "A"): lost,
        ("Gone", "B"): lost,
        ("Odd", "A"): late,
        ("Odd", "B"): None,
        ("Odd", "C"): late,
        ("Toy", "C"): None,
    }
    assert short_holes(cells) == [
        (lost, "Gone"),
        (late, "Toy: B"),
        (late, "Big: B"),
        (late, "Odd: A, C"),
    ]
    rows = {("x", "A"): late, ("y", "A"): late, ("x", "B"): None, ("y", "B"): None}
    assert short_holes(rows) == [(late, "A")]
    assert short_holes({("x", "A"): lost, ("y", "B"): lost}) == [(lost, "everything")]
    assert short_holes({("x", "A"): None}) == []


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
    assert "url(" not in text and "@import" not in text
    links = [h for h in reader.all("href") if not h.startswith(("data:", "#"))]
    assert links == [
        "tables/table3.md",
        "tables/table3.tex",
        "tables/pairwise.md",
        "tables/ablation_k.md",
        "../figures/ranks.svg",
    ]
    assert all((page.parent / link).is_file() for link in links)


def test_ids_are_unique_and_anchors_resolve(reader):
    ids = reader.all("id")
    assert len(ids) == len(set(ids))
    anchors = {h[1:] for h in reader.all("href") if h.startswith("#")}
    assert anchors <= set(ids)
    assert {
        "findings",
        "table2",
        "table3",
        "table8",
        "statistics",
        "figure3",
        "figure4",
        "ranks",
        "holes",
        "environment",
        "table3-note-1",
    } <= anchors
    labels = {name for text in reader.all("aria-labelledby") for name in text.split()}
    assert labels <= set(ids)


def test_text_is_escaped(kit, page, reader):
    assert "<img src=x" not in page.read_text(encoding="utf-8")
    assert kit.hostile in reader.texts
    assert [a for t, a in reader.found if t == "script" and a] == [{"type": "application/json"}] * 2
    assert sum(t == "script" for t, _ in reader.found) == 3
    assert "<script>alert(1)</script>\n" not in page.read_text(encoding="utf-8")


def test_csv_is_in_the_page(page, reader):
    address = next(a["href"] for _, a in reader.found if a.get("download") == "table3.csv")
    head, data = address.split(",", 1)
    assert head == "data:text/csv;charset=utf-8;base64"
    assert base64.b64decode(data) == (page.parent / "tables/table3.csv").read_bytes()


def test_readout_has_every_value(page):
    found = re.findall(r'<script type="application/json">(.*?)</script>', page.read_text("utf-8"))
    sweep, times = map(json.loads, found)
    assert [[p[2] for p in s["points"]] for s in sweep["series"]] == [
        ["C = 0.01: 25.00 %", "C = 0.1: 24.50 %", "C = 1: 26.25 %"],
        ["C = 0.01: 28.00 %", "C = 0.1: 27.00 %"],
    ]
    assert [[p[2] for p in s["points"]] for s in times["series"]] == [
        ["Toy: 0.25 s", "Big: 300 s"],
        ["Toy: 12.5 s", "Big: no result, timeout: fit took longer than 60 s"],
    ]


def test_same_files_give_the_same_bytes(kit, page, tmp_path):
    again = kit.make_page(kit.make_folder(tmp_path / "elsewhere"))
    assert again.read_bytes() == page.read_bytes()


def test_a_page_alone_has_no_relative_links(kit, tmp_path):
    folder = kit.make_folder(tmp_path)
    for path in [*folder.rglob("*.md"), *folder.rglob("*.tex"), *folder.rglob("*.svg")]:
        path.unlink()
    links = Reader(kit.make_page(folder).read_text("utf-8")).all("href")
    assert [h for h in links if not h.startswith(("data:", "#"))] == []


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
    from metriclearn.experiment.run import Run

    assert Run(experiment, overrides).item_command().format(item="table3") == expected
