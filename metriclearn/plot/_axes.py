"""What the pictures have in common: axes, colours, and the learner in a meta-estimator."""

from sklearn.utils.validation import check_is_fitted

# Okabe and Ito's colours, which are told apart with any kind of colour vision.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
GREY = "#767676"


def new_axes(ax=None, n=1, figsize=(4.8, 4.0)):
    """``ax`` as it is, or n axes of a new figure."""
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("plots need matplotlib: pip install 'metriclearn[plot]'") from error
    return plt.subplots(1, n, figsize=figsize, layout="constrained")[1]


def tidy(ax):
    """No box, and a grid that stays in the background."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(color="#dddddd", linewidth=0.6)
    ax.set_axisbelow(True)


def learner_of(model):
    """The fitted learner itself, also of a PairClassifier or of a search over one."""
    check_is_fitted(model)
    for name in ("best_estimator_", "estimator_"):
        model = getattr(model, name, model)
    return model
