"""Pictures of a learned metric: what is drawn is what was learned."""

import sys

import matplotlib
import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.exceptions import NotFittedError
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV

matplotlib.use("Agg")

import matplotlib.pyplot as plt

from metriclearn import ITML, KISSME, LMNN, NCML, PCML, PLML, Euclidean, PairClassifier
from metriclearn.plot import plot_embedding, plot_gap, plot_metric, plot_roc

IRIS = load_iris(as_frame=True)
X, Y = IRIS.data, IRIS.target.to_numpy()
INDEX = np.random.default_rng(0).integers(0, 150, size=(200, 2))
SAME = np.where(Y[INDEX[:, 0]] == Y[INDEX[:, 1]], 1, -1)


pytestmark = pytest.mark.filterwarnings(
    "ignore:.*identical samples", "ignore:.*valid feature names", "ignore:ITML stopped"
)


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def model():
    return PCML(C=0.1).fit(X, Y)


@pytest.fixture(scope="module")
def classifier():
    return PairClassifier(PCML(C=0.1), samples=X).fit(INDEX[:120], SAME[:120])


def texts(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


@pytest.mark.parametrize("draw", [plot_metric, plot_gap])
def test_on_given_axes_and_on_new_ones(draw, model):
    ax = plt.figure().add_subplot()
    assert draw(model, ax=ax) is ax
    assert draw(model) is not ax
    ax.figure.canvas.draw()


def test_ellipse_is_at_distance_one():
    model = PCML(C=0.1).fit(X.iloc[:, 1:3], Y)
    ax = plot_metric(model)
    ellipse, circle = (line.get_xydata() for line in ax.lines)
    distance = model.pairwise_distance(ellipse, np.zeros((1, 2)))
    np.testing.assert_allclose(distance, 1.0, rtol=1e-5)
    radius = np.linalg.norm(circle, axis=1)
    np.testing.assert_allclose(radius, radius[0])
    M = model.get_mahalanobis_matrix()
    assert radius[0] ** 2 == pytest.approx(1.0 / np.sqrt(np.linalg.det(M)), rel=1e-5)  # same area
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("sepal width (cm)", "petal length (cm)")


def test_metric_of_rank_one_is_two_lines():
    model = PCML(C=0.1, n_components=1).fit(X.iloc[:, 1:3], Y)
    ax = plot_metric(model)
    points = ax.lines[0].get_xydata()
    (low, high) = ax.get_xlim()
    seen = points[(np.abs(points) <= max(-low, high)).all(axis=1)]
    distance = model.pairwise_distance(seen, np.zeros((1, 2)))
    assert len(seen) and np.abs(distance - 1.0).max() < 0.01
    assert np.ptp(points[:, 0]) > 100 * (high - low)  # it goes on outside


def test_heat_map_is_m(model):
    ax = plot_metric(model)
    image = ax.images[0]
    np.testing.assert_array_equal(image.get_array(), model.get_mahalanobis_matrix())
    low, high = image.get_clim()
    assert low == -high and high == np.abs(model.get_mahalanobis_matrix()).max()
    assert [tick.get_text() for tick in ax.get_yticklabels()] == list(X.columns)
    named = plot_metric(model, feature_names=list("abcd"))
    assert [tick.get_text() for tick in named.get_xticklabels()] == list("abcd")
    with pytest.raises(ValueError, match="feature_names has 1 names, but the metric 4 features"):
        plot_metric(model, feature_names=["a"])


def test_meta_estimators_show_their_learner(classifier):
    M = classifier.estimator_.get_mahalanobis_matrix()
    np.testing.assert_array_equal(plot_metric(classifier).images[0].get_array(), M)
    search = GridSearchCV(classifier, {"estimator__C": [0.1]}, cv=2).fit(INDEX[:120], SAME[:120])
    np.testing.assert_array_equal(plot_metric(search).images[0].get_array(), M)
    assert plot_gap(search).get_legend_handles_labels()[1][0] == "PCML"


def test_what_cannot_be_drawn_says_why():
    with pytest.raises(NotFittedError):
        plot_metric(PairClassifier(PCML()))
    with pytest.raises(NotImplementedError, match="kernel"):
        plot_metric(NCML(kernel="rbf").fit(X, Y))
    with pytest.raises(NotImplementedError, match="PLML has a metric per sample"):
        plot_embedding(PLML(random_state=0).fit(X, Y), X)
    with pytest.raises(ValueError, match="ITML records no duality gap: PCML, NCML"):
        plot_gap(ITML(random_state=0).fit(X, Y))
    with pytest.raises(ValueError, match=r"LMNN\(tol=None\) stops early, .* set tol"):
        plot_gap(LMNN().fit(X, Y))


def test_embedding_keeps_distances_of_two_components():
    wine = load_wine()
    Z = (wine.data - wine.data.mean(axis=0)) / wine.data.std(axis=0)
    model = PCML(C=0.1, n_components=2).fit(Z, wine.target)
    names = wine.target_names[wine.target]
    before, after = plot_embedding(model, Z, names)
    drawn = np.concatenate([np.asarray(part.get_offsets()) for part in after.collections])
    np.testing.assert_allclose(drawn, model.transform(Z), atol=1e-9)  # classes are in order
    assert texts(after) == list(wine.target_names)
    # The plane of the largest variance, from the covariance.
    drawn = np.concatenate([np.asarray(part.get_offsets()) for part in before.collections])
    largest = np.linalg.eigvalsh(np.cov(Z.T, bias=True))[::-1][:2]
    np.testing.assert_allclose(drawn.var(axis=0), largest)
    colours = {tuple(part.get_facecolor()[0]) for part in after.collections}
    assert len(colours) == 3


def test_embedding_of_few_columns_and_on_given_axes(model):
    axes = plt.figure().subplots(1, 2)
    one = PCML(n_components=1).fit(X, Y)
    assert (plot_embedding(one, X, Y, ax=axes) == axes).all()
    assert not np.asarray(axes[1].collections[0].get_offsets())[:, 1].any()
    before, _ = plot_embedding(model, X)
    assert len(before.collections) == 1 and before.get_legend() is None
    with pytest.raises(ValueError, match="draws on two Axes, got 1"):
        plot_embedding(model, X, ax=axes[0])


def test_roc_with_the_threshold(classifier):
    ax = plot_roc(classifier, INDEX[120:], SAME[120:])
    area = roc_auc_score(SAME[120:], classifier.decision_function(INDEX[120:]))
    said = classifier.predict(INDEX[120:])
    rates = [np.mean(said[SAME[120:] == kind] == 1) for kind in (-1, 1)]
    np.testing.assert_allclose(np.asarray(ax.collections[0].get_offsets())[0], rates)
    assert texts(ax)[0] == f"PCML, area {area:.3f}"
    assert texts(ax)[1] == f"threshold: {rates[1]:.2f} at {rates[0]:.2f}"
    fpr, tpr = ax.lines[1].get_data()
    assert np.trapezoid(tpr, fpr) == pytest.approx(area)
    # A learner of its own, without a threshold, beside it.
    pairs = X.to_numpy()[INDEX]
    plain = KISSME().fit_pairs(pairs[:120], SAME[:120])
    assert plot_roc(plain, pairs[120:], SAME[120:] > 0, label="plain", ax=ax) is ax
    assert len(ax.lines) == 3 and len(ax.collections) == 1
    assert texts(ax)[-1].startswith("plain, area ")
    assert ax.lines[1].get_color() != ax.lines[2].get_color()
    own = PCML().fit_pairs(pairs[:120], SAME[:120])  # its own threshold
    assert len(plot_roc(own, pairs[120:], SAME[120:]).collections) == 1


@pytest.mark.parametrize(
    "fitted", [PCML(C=0.1), NCML(C=0.1), LMNN(tol=1e-2)], ids=lambda m: repr(m)
)
def test_gap_is_that_of_the_history(fitted):
    fitted.fit(X, Y)
    ax = plot_gap(fitted, label="fit")
    line = ax.lines[0].get_ydata()
    relative = fitted.gap_ / getattr(fitted, "primal_", getattr(fitted, "objective_", None))
    assert line[-1] == pytest.approx(relative, rel=1e-3) and line[-1] <= fitted.tol
    assert texts(ax) == ["fit", f"tol = {fitted.tol:g}"] and ax.get_yscale() == "log"
    plot_gap(fitted, label="again", ax=ax)
    assert texts(ax) == ["fit", f"tol = {fitted.tol:g}", "again"]
    assert ax.lines[0].get_color() != ax.lines[2].get_color()


def test_without_matplotlib_one_line_says_what_to_install(monkeypatch):
    for name in [name for name in sys.modules if name.split(".")[0] == "matplotlib"]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(
        ImportError, match=r"^plots need matplotlib: pip install 'metriclearn\[plot\]'$"
    ):
        plot_metric(Euclidean().fit(X))
