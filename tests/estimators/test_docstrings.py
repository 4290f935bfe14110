"""The docstrings of the public classes: complete, in numpydoc's form, with examples that run."""

import doctest
import inspect
import re
import warnings
from importlib.resources import files

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

import metriclearn
from metriclearn import LMNN, NCML, PairClassifier
from metriclearn.estimators.base import MetricLearner

PUBLIC = [getattr(metriclearn, name) for name in metriclearn.__all__]
LEARNERS = [c for c in PUBLIC if isinstance(c, type) and issubclass(c, MetricLearner)]
CLASSES = [*LEARNERS, PairClassifier]
each = pytest.mark.parametrize("public", CLASSES, ids=lambda c: c.__name__)


def sections(text):
    """Title to body, of the parts that are underlined."""
    parts = re.split(r"^(\w[\w ]*)\n-+\n", inspect.cleandoc(text), flags=re.M)
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2]))}


def entries(body):
    """Name to (type, description) of "name, name : type" with an indented description."""
    found = {}
    for names, kind, text in re.findall(r"^(\S.*?) : (.+)\n((?:[ ].*\n?|\n)*)", body, flags=re.M):
        found.update({name.strip(): (kind, text.strip()) for name in names.split(",")})
    return found


def fitted(learner):
    """Fits that between them set every attribute."""
    X, y = load_iris(return_X_y=True)
    index = np.random.default_rng(0).integers(0, 150, size=(200, 2))
    same = y[index[:, 0]] == y[index[:, 1]]
    if learner is PairClassifier:
        return [learner(metriclearn.Euclidean(), samples=X).fit(index, same)]
    models = [learner().fit(pd.DataFrame(X, columns=list("abcd")), y)]
    if learner is NCML:
        models.append(NCML(kernel="rbf").fit(X, y))
    if learner is LMNN:
        models.append(LMNN(tol=1e-2).fit(X, y))
    return models


@each
def test_summary_and_when_to_use(public):
    text = sections(public.__doc__)[""]
    summary = text.split("\n\n")[0].replace("\n", " ")
    assert summary and len(summary) < 100
    (advice,) = re.findall(r"^When to use: (.+?)(?:\n\n|\Z)", text, flags=re.M | re.S)
    assert len(advice.split()) >= 10


@each
def test_parameters_are_those_of_the_constructor(public):
    signature = inspect.signature(public).parameters
    told = entries(sections(public.__doc__).get("Parameters", ""))
    assert list(told) == list(signature)
    for name, (kind, text) in told.items():
        assert text, name
        default = signature[name].default
        if default is None:
            assert "None" in kind, name
        elif default is not inspect.Parameter.empty:
            value = kind.rpartition("default ")[2]
            value = dict(zip(_together(public, name), value.split(" and "))).get(name, value)
            assert repr(default) == value.replace('"', "'") or float(value) == default, name


def _together(public, name):
    """The names that share an entry with this one."""
    body = sections(public.__doc__)["Parameters"]
    (names,) = re.findall(rf"^((?:.*, )?{name}(?:, .*)?) : ", body, flags=re.M)
    return names.split(", ")


@each
@pytest.mark.filterwarnings("ignore")
def test_attributes_are_those_of_a_fit(public):
    told = entries(sections(public.__doc__)["Attributes"])
    found = {
        name
        for model in fitted(public)
        for name in vars(model)
        if name.endswith("_") and not name.startswith("_")
    }
    assert set(told) == found
    assert all(text for _, text in told.values())


@each
def test_examples_run(public):
    runner = doctest.DocTestRunner()
    test = doctest.DocTestParser().get_doctest(
        sections(public.__doc__)["Examples"], {}, public.__name__, None, None
    )
    assert len(test.examples) >= 2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert runner.run(test).failed == 0


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda c: c.__name__)
def test_public_methods_say_what_they_do(learner):
    for name, method in inspect.getmembers(learner, inspect.isfunction):
        if not name.startswith("_") and method.__module__.startswith("metriclearn"):
            assert inspect.getdoc(method), name


def test_the_package_is_marked_as_typed():
    assert (files("metriclearn") / "py.typed").is_file()
