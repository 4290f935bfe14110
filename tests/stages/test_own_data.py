"""A researcher's own file through the command line: clumsy ones get one line that helps.

Each test calls what ``metriclearn train`` calls, in this process; two go through the program.
"""

import subprocess
import sys

import numpy as np
import pytest

from metriclearn.files.store import read_rows
from metriclearn.stages import train

NAMES = ["u", "v", "w"]
N = 60
RNG = np.random.default_rng(3)
KINDS = np.array(["a", "b", "c"])[np.arange(N) * 3 // N]  # sorted by class
VALUES = np.round(RNG.normal(size=(N, 3)) + 3.0 * (np.arange(N) * 3 // N)[:, None], 3)


def write(path, rows, heading=None, separator=",", start=b""):
    lines = [*([heading] if heading else []), *rows]
    text = "".join(separator.join(map(str, line)) + "\n" for line in lines)
    path.write_bytes(start + text.encode())


def with_missing_cells():
    rows = VALUES.astype(object)
    for i, token in enumerate(["", "?", "NA", "n/a", "NaN"]):
        rows[7 * i, i % 2] = token
    return rows


FILES = {  # name: (rows, heading, what write takes)
    "first": ([[k, *x] for k, x in zip(KINDS, VALUES)], ["kind", *NAMES], {}),
    "semicolons": (
        [[*(str(v).replace(".", ",") for v in x), k] for k, x in zip(KINDS, VALUES)],
        [*NAMES, "kind"],
        {"separator": ";"},
    ),
    "bom": (
        [[k, *x] for k, x in zip(KINDS, VALUES)],
        ["label", *NAMES],
        {"start": b"\xef\xbb\xbf"},
    ),
    "index": ([[i, *VALUES[i], KINDS[i]] for i in range(N)], ["", *NAMES, "label"], {}),
    "missing": ([[*x, k] for k, x in zip(KINDS, with_missing_cells())], [*NAMES, "label"], {}),
    "text": (
        [["north" if i % 3 else "south", *VALUES[i], KINDS[i]] for i in range(N)],
        ["region", *NAMES, "label"],
        {},
    ),
    "one_class": ([[*x, "a"] for x in VALUES], [*NAMES, "label"], {}),
    "continuous": ([list(x) for x in VALUES], NAMES, {}),
    "twice": ([[*x, k] for k, x in zip(KINDS, VALUES)], ["u", "u", "w", "label"], {}),
    "one_row": ([[*VALUES[0], "a"]], [*NAMES, "label"], {}),
    "names": ([[f"s{i}", *VALUES[i], KINDS[i]] for i in range(N)], ["id", *NAMES, "label"], {}),
    "constant": ([[7, *x, k] for k, x in zip(KINDS, VALUES)], ["batch", *NAMES, "label"], {}),
}
WORDS = ["method=euclidean", "tuning=none", "protocol.folds=3"]


@pytest.fixture
def command(tmp_path, monkeypatch, capsys):
    """(exit code, stdout, stderr) of metriclearn train on one of the files."""
    monkeypatch.chdir(tmp_path)

    def call(name, *words):
        rows, heading, how = FILES[name]
        write(tmp_path / f"{name}.csv", rows, heading, **how)
        path = f"dataset.path=./{name}.csv"
        monkeypatch.setattr(sys, "argv", ["train", "dataset=file", path, *WORDS, *words])
        code = 0
        try:
            train.main()
        except SystemExit as end:
            code = end.code
        said = capsys.readouterr()
        return code, said.out, said.err

    return call


REFUSED = {
    "first": "error: first.csv: the label, column 4 ('w'), looks continuous, with {w} different "
    "values in 60 rows, but labels must be classes of several samples each; if another column is "
    "the label (column 1 ('kind') may be it), give dataset.label=NAME or its number\n",
    "missing": "error: missing.csv: 5 cells are missing in 5 of 60 rows (column 1 ('u'): 3, "
    "column 2 ('v'): 2); choose dataset.missing=median (of the training part of each fold) or "
    "dataset.missing=drop (leaves the rows out)\n",
    "text": "error: text.csv, line 2: expected numbers in column 1 ('region'), it has words (2 "
    "different ones): 'south', 'north'; make columns of 0 and 1 of it with "
    "dataset.categorical=onehot, or leave it out with dataset.drop=[1]\n",
    "one_class": "error: one_class.csv: the label, column 4 ('label'), is 'a' in all 60 rows, but "
    "a metric needs at least 2 classes; if another column is the label, give dataset.label=NAME "
    "or its number\n",
    "continuous": "error: continuous.csv: the label, column 3 ('w'), looks continuous, with {w} "
    "different values in 60 rows, but labels must be classes of several samples each; if another "
    "column is the label, give dataset.label=NAME or its number\n",
    "twice": "error: twice.csv, line 1: the heading has the name 'u' 2 times (columns 1 and 2); "
    "rename them\n",
    "one_row": "error: one_row.csv: the label, column 4 ('label'), is 'a' in the only row, but a "
    "metric needs at least 2 classes; if another column is the label, give dataset.label=NAME or "
    "its number\n",
    "names": "error: names.csv, line 2: expected numbers in column 1 ('id'), it has another word "
    "in each row: 's0', 's1', 's2'; leave it out with dataset.drop=[1]\n",
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_meant_is_refused_in_one_line(command, name, tmp_path):
    expected = REFUSED[name].format(w=len(np.unique(VALUES[:, 2])))
    assert command(name) == (1, "", expected)
    assert not list(tmp_path.glob("results/**/*.csv"))


READ = {
    ("first", "dataset.label=kind"): ("3 features", "separated by commas, label in column 1 ('kin"),
    ("first", "dataset.label=1"): ("3 features", "separated by commas, label in column 1 ('kind')"),
    ("semicolons",): ("3 features", "separated by semicolons, label in column 4 ('kind')"),
    ("bom",): ("3 features", "separated by commas, label in column 1 ('label')"),
    ("index", "dataset.drop=[1]"): ("3 features", "label in column 5 ('label')"),
    ("missing", "dataset.missing=median"): (
        "60 samples × 3 features",
        "5 cells are missing in 5 of 60 rows (column 1 ('u'): 3, column 2 ('v'): 2), to be filled "
        "with the median of each training part",
    ),
    ("missing", "dataset.missing=drop"): (
        "55 samples × 3 features",
        "5 of 60 rows with missing cells left out",
    ),
    ("text", "dataset.categorical=onehot"): (
        "5 features",
        "5 columns of 4 features by one-hot coding",
    ),
}


@pytest.mark.parametrize("words", READ, ids=" ".join)
def test_how_it_was_read_is_said(command, words, tmp_path):
    code, out, err = command(*words)
    assert (code, err) == (0, "")
    data, layout = READ[words]
    lines = out.splitlines()
    assert data in lines[1] and lines[1].startswith("  data ") and "3 classes" in lines[1]
    assert lines[2].startswith(f"  file      ./{words[0]}.csv: ") and layout in lines[2]
    rows = read_rows(next(tmp_path.glob("results/jobs/**/*.rows.csv")))
    assert [row["status"] for row in rows] == ["ok"] * 3


WARNED = {
    ("index",): "warning: index.csv: column 1 (no name) looks like an index (0 to 59, another "
    "number in each row): if it is one, leave it out with dataset.drop=[1]\n",
    ("constant",): "warning: constant.csv: column 1 ('batch') is constant (7): it says nothing, "
    "leave it out with dataset.drop=[1]\n",
    ("names", "dataset.categorical=onehot"): "warning: names.csv: column 1 ('id') has another "
    "word in each row ('s0', 's1', 's2', …): it is no category, leave it out with "
    "dataset.drop=[1]\n",
}


@pytest.mark.parametrize("words", WARNED, ids=" ".join)
def test_what_is_probably_a_mistake_is_named(command, words):
    code, out, err = command(*words)
    assert (code, err) == (0, WARNED[words]) and "  result    error " in out


def test_options_are_for_files_and_have_their_values(command, monkeypatch, capsys):
    assert command("bom", "dataset.missing=mean")[::2] == (
        1,
        "error: dataset.missing must be one of refuse, median, drop, got 'mean'\n",
    )
    assert command("bom", "dataset.label=kind")[::2] == (
        1,
        "error: bom.csv: dataset.label names no column, 'kind'; its columns are label, u, v, w\n",
    )
    monkeypatch.setattr(sys, "argv", ["train", "dataset=sonar", "dataset.label=kind"])
    with pytest.raises(SystemExit):
        train.main()
    assert capsys.readouterr().err == (
        "error: dataset.label is for a file of your own: add dataset=file dataset.path=PATH\n"
    )


@pytest.mark.parametrize("name, code", [("twice", 1), ("index", 0)])
def test_the_program_says_the_same(name, code, tmp_path, kit):
    write(tmp_path / f"{name}.csv", *FILES[name][:2])
    words = ["dataset=file", f"dataset.path=./{name}.csv", *WORDS]
    done = kit.module(tmp_path, "train", *words)
    assert done.returncode == code
    assert done.stderr == (REFUSED[name] if code else WARNED[name,])


def test_a_missing_package_is_one_line(kit):
    program = (
        "import sys; sys.modules['hydra'] = None; sys.argv = ['metriclearn', 'train']; "
        "from metriclearn.__main__ import main; sys.exit(main())"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=kit.root
    )
    assert (done.returncode, done.stderr) == (
        1,
        "error: metriclearn train needs the package hydra, which is missing; "
        "pip install 'metriclearn[pipeline]'\n",
    )
