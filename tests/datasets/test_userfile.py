"""A researcher's own csv file."""

import gzip

import numpy as np
import pytest

from metriclearn.datasets import DatasetError, UnknownDataset, load_dataset, load_spec
from metriclearn.datasets.spec import spec_from_dict


def write(folder, text, name="mine.csv"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


GOOD = {
    "no heading": "1,2,b\n3,4,a\n5,6,b\n",
    "heading": "u,v,kind\n1,2,b\n3,4,a\n5,6,b\n",
    "label by name": "Class,u,v\nb,1,2\na,3,4\nb,5,6\n",
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
    d = load_dataset(write(tmp_path, "0,10\n0,9\n0,2.0\n"))
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
    "long row": ("u,v,label\n1,2,a\n3,4,5,b\n", "line 3: expected 3 columns as in the first line, got 4"),
    "word": ("1,2,a\n3,four,b\n", "line 2: expected a number in column 2, got 'four'"),
    "word in the first row": ("1,two,a\n3,4,b\n", "line 1: expected a number in column 2"),
    "empty cell": ("1,2,a\n,4,b\n", "line 2: expected a number in column 1, got ''"),
    "no label": ("1,2,a\n3,4,\n", "line 2: the label is missing"),
    "no named label": ("label,u\na,1\n ,2\n", "line 3: the label is missing"),
    "nan": ("1,2,a\n3,NaN,b\n", "line 2: expected a finite number in column 2, got nan"),
    "infinite": ("1,2,a\n3,-inf,b\n", "line 2: expected a finite number in column 2, got -inf"),
    "one column": ("1\n2\n", "line 1: expected features and a label separated by ','"),
    "semicolons": ("1;2;a\n", "line 1: expected features and a label separated by ','"),
    "two labels": ("label,class,u\na,b,1\n", "line 1: the heading has two label columns"),
    "same name twice": ("u,u,label\n1,2,a\n", "line 1: the heading has two columns of the same"),
    "open quote": ('1,2,a\n3,"4,b\n', "line 2: quotes do not match"),
    "not text": (b"1,2,a\n\xff\xfe,2,b\n", "line 2: expected UTF-8 text"),
    "nul": (b"1,2,a\n1,\x00,b\n", "line 2: expected a number in column 2"),
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
