"""A researcher's own csv file."""

import gzip
import sys
import warnings

import numpy as np
import pytest

from metriclearn.datasets import (
    DatasetError,
    DatasetWarning,
    UnknownDataset,
    load_dataset,
    load_spec,
)
from metriclearn.datasets.spec import spec_from_dict


def write(folder, text, name="mine.csv"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


GOOD = {
    "no heading": "1,2,b\n3,4,a\n5,6,b\n",
    "heading": "u,v,kind\n1,2,b\n3,4,a\n5,6,b\n",
    "label by name": "Class,u,v\nb,1,2\na,3,4\nb,5,6\n",
    "semicolons": "u;v;kind\n1;2;b\n3;4;a\n5;6;b\n",
    "blanks": "u v  kind\n1 2 b\n 3 4 a\n5 6 b\n",
    "a mark of the encoding": "\ufeffu,v,kind\n1,2,b\n3,4,a\n5,6,b\n",
    "quotes, blanks, crlf": 'u, v ,"label"\r\n1, 2 ,"b"\r\n3,4,a\r\n\r\n5,6,b\r\n\r\n',
}


@pytest.mark.parametrize("case", GOOD)
def test_good_files(tmp_path, case):
    d = load_dataset(str(write(tmp_path, GOOD[case])))
    np.testing.assert_array_equal(d.X, [[1, 2], [3, 4], [5, 6]])
    np.testing.assert_array_equal(d.y, [1, 0, 1])
    assert d.X.dtype == np.float64 and d.X.flags.c_contiguous
    assert d.target_names == ("a", "b") and d.name == "mine" and d.train is None
    assert d.feature_names == (("x1", "x2") if case == "no heading" else ("u", "v"))


def test_tabs_compression_and_path_objects(tmp_path):
    path = write(tmp_path, gzip.compress(b"1\t2\tb\n3\t4\ta\n"), "mine.tsv.gz")
    np.testing.assert_array_equal(load_dataset(path).X, [[1, 2], [3, 4]])


def test_numeric_labels_are_ordered_as_numbers(tmp_path):
    d = load_dataset(write(tmp_path, "0,10\n1,9\n0,2.0\n"))
    assert d.target_names == ("2", "9", "10")
    assert d.y.tolist() == [2, 1, 0]


def test_same_content_same_hash(tmp_path):
    hashes = {load_dataset(write(tmp_path, text)).content_hash for text in GOOD.values()}
    assert len(hashes) == 1


BAD = {
    "empty": ("", "the file is empty"),
    "only blank lines": ("\n\n", "the file is empty"),
    "only a heading": ("u,v,label\n", "expected rows of data, the file has none"),
    "short row": ("1,2,a\n3,b\n", "line 2: expected 3 columns as in the first line, got 2"),
    "long row": (
        "u,v,label\n1,2,a\n3,4,5,b\n",
        "line 3: expected 3 columns as in the first line, got 4",
    ),
    "word": ("1,2,a\n3,four,b\n", "line 2: expected numbers in column 2, it has words"),
    "one word": ("1,2,a\n3,four,b\n5,6,a\n", "line 2: expected a number in column 2 as in 2 other"),
    "word in the first row": ("1,two,a\n3,4,b\n", "line 1: expected numbers in column 2"),
    "empty cell": ("1,2,a\n,4,b\n", "1 cell is missing in 1 of 2 rows (column 1: 1)"),
    "no label": ("1,2,a\n3,4,\n", "line 2: the label is missing"),
    "no named label": ("label,u\na,1\n ,2\n", "line 3: the label is missing"),
    "nan": ("1,2,a\n3,NaN,b\n", "1 cell is missing in 1 of 2 rows (column 2: 1)"),
    "infinite": ("1,2,a\n3,-inf,b\n", "line 2: expected a finite number in column 2, got -inf"),
    "one column": ("1\n2\n", "line 1: expected features and a label separated by commas, semicol"),
    "two labels": ("label,class,u\na,b,1\n", "the heading has 2 label columns, label and class"),
    "same name twice": ("u,u,label\n1,2,a\n", "line 1: the heading has the name 'u' 2 times"),
    "no value": ("u,v,label\n1,,a\n2,,b\n", "column 2 ('v') has no value at all"),
    "one class": ("1,2,a\n3,4,a\n", "the label, column 3, is 'a' in all 2 rows"),
    "underscores": ("1,2,a\n3,1_000,b\n5,6,a\n", "line 2: expected a number in column 2 as in 2"),
    "open quote": ('1,2,a\n3,"4,b\n', "line 2: quotes do not match"),
    "not text": (b"1,2,a\n\xff\xfe,2,b\n", "line 2: expected UTF-8 text"),
    "nul": (b"1,2,a\n1,\x00,b\n", "line 2: expected numbers in column 2"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_files_are_named_with_the_line(tmp_path, case):
    text, message = BAD[case]
    path = write(tmp_path, text)
    with pytest.raises(DatasetError) as caught:
        load_dataset(str(path))
    assert message in str(caught.value) and str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, ValueError)


def read(folder, text, **options):
    return load_dataset(write(folder, text), **options)


def test_the_label_is_where_it_is_said_to_be(tmp_path):
    text = "Kind,u,v\nb,1,2\na,3,4\nb,5,6\n"
    for label in ("Kind", "kind", 1):
        d = read(tmp_path, text, label=label)
        assert (d.X.tolist(), d.feature_names) == ([[1, 2], [3, 4], [5, 6]], ("u", "v"))
        assert d.y.tolist() == [1, 0, 1]
    for label, message in ((4, "a column from 1 to 3, got 4"), ("z", "names no column, 'z'")):
        with pytest.raises(DatasetError, match=message):
            read(tmp_path, text, label=label)


def test_columns_are_left_out_by_name_or_number(tmp_path):
    text = "id,u,v,label\n9,1,2,b\n8,3,4,a\n"
    for drop in (("id",), (1,), ("ID",), "id", 1, ["id"]):
        assert read(tmp_path, text, drop=drop).X.tolist() == [[1, 2], [3, 4]]
    assert read(tmp_path, text, drop=("label", 1), label="v").target_names == ("2", "4")
    with pytest.raises(DatasetError, match="no column is left for the features"):
        read(tmp_path, text, drop=(1, 2, 3))


def test_missing_cells_stay_or_their_rows_go(tmp_path):
    text = "u,v,label\n1,?,a\n3,4,b\n5,6,a\n,8,b\n9,1,\n"
    kept = read(tmp_path, text.replace("9,1,\n", ""), missing="median")
    np.testing.assert_array_equal(kept.X, [[1, np.nan], [3, 4], [5, 6], [np.nan, 8]])
    assert kept.gaps
    left = read(tmp_path, text, missing="drop")
    assert (left.X.tolist(), left.y.tolist(), left.gaps) == ([[3, 4], [5, 6]], [1, 0], False)
    assert "3 of 5 rows with missing cells left out" in left.layout
    with pytest.raises(DatasetError, match="line 6: the label is missing"):
        read(tmp_path, text, missing="median")


def test_words_become_columns_of_0_and_1(tmp_path):
    text = "colour,u,label\nred,1,a\nblue,2,b\n?,3,a\nred,4,b\n"
    d = read(tmp_path, text, categorical="onehot", missing="median")
    assert d.feature_names == ("colour=blue", "colour=red", "u") and not d.gaps
    assert d.X.tolist() == [[0, 1, 1], [1, 0, 2], [0, 0, 3], [0, 1, 4]]


def test_commas_between_semicolons_are_decimal(tmp_path):
    text = "1,5;-2,25;a\n3,0;,5;b\n"
    d = read(tmp_path, text)
    assert d.X.tolist() == [[1.5, -2.25], [3.0, 0.5]] and "semicolons" in d.layout


def test_labels_that_are_no_classes(tmp_path):
    rng = np.random.default_rng(0)
    for values in (
        rng.normal(size=40).round(3),
        rng.permutation(1000)[:40],
        [f"n{i}" for i in range(40)],
    ):
        text = "".join(f"{i % 7},{i % 5},{value}\n" for i, value in enumerate(values))
        with pytest.raises(DatasetError, match="40 different values in 40 rows, but labels must"):
            read(tmp_path, text)
    halves = "".join(f"{i % 7},{i % 5},{i % 2 / 2}\n" for i in range(40))
    assert read(tmp_path, halves).target_names == ("0", "0.5")
    many = "".join(f"{i % 7},{i % 5},{i // 2}\n" for i in range(100))  # as with faces
    assert len(read(tmp_path, many).target_names) == 50


@pytest.mark.parametrize("shuffled", [False, True])
def test_an_index_is_named_and_a_feature_is_not(tmp_path, shuffled):
    order = np.random.default_rng(0).permutation(30) if shuffled else np.arange(30)
    text = "".join(f"{5 + i},{i % 7},{i * 3},{'ab'[i % 2]}\n" for i in order)
    with pytest.warns(DatasetWarning, match="column 1 looks like an index .5 to 34, ") as caught:
        read(tmp_path, text)
    assert len(caught) == 1  # the third column has other distances, and no name of an index
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read(tmp_path, text, drop=(1,))


def test_parquet_is_read_like_text(tmp_path, monkeypatch):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as parquet

    path = tmp_path / "mine.parquet"
    kinds = pa.array(["b", "a", "b"]).dictionary_encode()
    table = pa.table(
        {"u": [1, 3, 5], "kind": kinds, "v": [2.0, None, 6.0], "w": [True, False, True]}
    )
    parquet.write_table(table, path)
    d = load_dataset(path, label="kind", missing="median")
    np.testing.assert_array_equal(d.X, [[1, 2, 1], [3, np.nan, 0], [5, 6, 1]])
    assert d.y.tolist() == [1, 0, 1] and d.feature_names == ("u", "v", "w")
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(DatasetError, match="not a readable parquet file"):
        load_dataset(path)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(DatasetError, match=r"pip install 'metriclearn\[pipeline\]'$"):
        load_dataset(path)


def test_options_are_for_files_only(tmp_path):
    with pytest.raises(DatasetError, match="label: for a file of your own only, not for sonar"):
        load_dataset("sonar", label="kind")
    with pytest.raises(DatasetError, match="dataset.missing must be one of refuse, median, drop"):
        read(tmp_path, GOOD["heading"], missing="mean")
    for wrong in ({"label": 1.5}, {"label": True}, {"drop": ("u", None)}, {"drop": 0.5}):
        with pytest.raises(DatasetError, match="must name columns, or number them from 1, got "):
            read(tmp_path, GOOD["heading"], **wrong)


def test_missing_file_and_folder(tmp_path):
    with pytest.raises(DatasetError, match="no such file; check the path"):
        load_dataset(tmp_path / "none.csv")
    with pytest.raises(DatasetError, match="expected a csv file, this is a folder"):
        load_dataset(f"{tmp_path}/")


def test_random_files_never_crash(tmp_path):
    rng = np.random.default_rng(1)
    alphabet = np.frombuffer(b'0123456789.,-e"\n\r\t ab\xff\x00_;?', dtype=np.uint8)
    for _ in range(300):
        data = rng.choice(alphabet, size=int(rng.integers(0, 80))).tobytes()
        try:
            d = load_dataset(write(tmp_path, data))
        except DatasetError as error:
            assert "mine.csv" in str(error)
        else:
            assert np.isfinite(d.X).all() and len(d.y) == len(d.X)


def test_unknown_name_lists_names_and_close_ones():
    with pytest.raises(UnknownDataset) as caught:
        load_dataset("Breast-Tissu")
    text = str(caught.value)
    assert "did you mean breast_tissue" in text and "cardiotocography, ilpd" in text
    assert "\n" not in text


@pytest.mark.parametrize("name", ["", "..", "con.yaml", "*"])
def test_odd_names_are_unknown(name):
    with pytest.raises(DatasetError):
        load_dataset(name)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"classes": ["a", True]}, "must be quoted strings"),
        ({"class_counts": [1, 1, 1]}, "class_counts add up to 3, n_samples is 4"),
        ({"class_counts": [4]}, "3 classes but 1 class_counts"),
        ({"feature_names": ["u"]}, "1 feature_names but n_features is 3"),
        ({"split": {"train": 1, "test": 1}}, "does not add up"),
        ({"group": "images"}, "group is one of"),
        ({"colour": "red"}, "unknown key 'colour'"),
        ({"public": [{"archive": "ftp://x"}]}, "each entry of 'public'"),
        ({"row_order": "sorted", "split": {"train": 3, "test": 1}}, "needs row_order: source"),
    ],
)
def test_configuration_mistakes_are_named(toy, change, message):
    with pytest.raises(DatasetError, match="^toy.yaml: ") as caught:
        toy(**change)
    assert message in str(caught.value)


def test_missing_configuration_key():
    with pytest.raises(DatasetError, match="x.yaml: missing key 'citation'"):
        spec_from_dict({"name": "x"}, "x.yaml")
    assert load_spec("sonar").page.startswith("https://archive.ics.uci.edu/")
