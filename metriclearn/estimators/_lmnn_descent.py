"""Two ways down LMNN's objective: to the optimum, and by the authors' steps to where they stop."""

import numpy as np

_HALVINGS = 60  # of a step, at most
_SEARCH = 10  # steps from one search for impostors to the next
_REACH = 0.1  # impostors that are so much too far for the margin are kept in between
_LEAST = 50  # steps
_CHANGE = 1e-3  # of the objective


def gradient_steps(problem, back, max_iter, report=None):
    """Steps along the gradient in L from a multiple of the Euclidean distance, as the authors.

    In the coordinates of the problem the Euclidean distance is back back^T. A step that does not
    raise the objective makes the next one 1 % longer, another is undone and halved. The end is
    where none of the last three changed the objective by more than a share ``_CHANGE`` of it.
    Returns M, the number of steps tried, the last such share and (steps, objective) per search.
    """
    L = np.eye(back.shape[1]) * np.sqrt(problem.start(back @ back.T))
    M = _product(back, L)
    step, values, history, change = None, [], [], np.inf
    for n_iter in range(1, max_iter + 1):
        if (n_iter - 1) % _SEARCH == 0:
            index = problem.search(M, reach=_REACH)
            value, G = problem.subgradient(M, index)
            history.append((n_iter - 1, value))
            values = [*values[-3:], value]
            if report is not None:
                report(n_iter - 1, len(index), value)
        slope = 2.0 * L @ (back.T @ G @ back)
        if step is None:
            step = 0.01 * np.linalg.norm(L) / max(float(np.linalg.norm(slope)), 1e-300)
        new = L - step * slope
        new_M = _product(back, new)
        new_value, new_G = problem.subgradient(new_M, index)
        if new_value <= value:
            L, M, value, G = new, new_M, new_value, new_G
            step *= 1.01
            values = [*values[-3:], value]
        else:
            step *= 0.5
        if len(values) == 4 and value > 0.0:
            change = np.abs(np.diff(values)).max() / value
        if n_iter >= _LEAST and change <= _CHANGE or value == 0.0 or not slope.any():
            change = min(change, _CHANGE)
            break
    return M, n_iter, change, history


def _product(back, L):
    F = L @ back.T
    return F.T @ F


def accelerated(problem, M, index, h, step, tol, max_iter):
    """Projected gradient with momentum and restart on the rounded hinge."""
    V, t, bounds = M, 1.0, np.zeros(2)
    for n_iter in range(1, max_iter + 1):  # noqa: B007
        value, G, lower = problem.rounded(V, index, h)
        bounds = np.maximum(bounds, lower)
        if step is None:
            step = np.linalg.norm(M) / max(float(np.linalg.norm(G)), 1e-12)
        for _ in range(_HALVINGS):
            w, U = np.linalg.eigh(V - step * G)
            new = (U * np.maximum(w, 0.0)) @ U.T
            move = new - V
            model = value + np.sum(G * move) + np.sum(move * move) / (2.0 * step)
            smooth, _, _, hinge, _ = problem.evaluate(new, index, h)
            trace = np.trace(new)
            smooth = trace + problem.c * smooth
            if smooth <= model + 1e-10 * abs(model):
                break
            step *= 0.5
        hinge = trace + problem.c * hinge
        # What rounding costs at this width sets how far it is worth going.
        close = smooth - bounds[1] <= 0.1 * (hinge - smooth)
        if close or hinge - bounds[0] <= 0.9 * tol * hinge:
            return new, step, n_iter, bounds[0], True
        if np.sum((V - new) * (new - M)) > 0.0:
            t = 1.0
        faster = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * t * t))
        M, V, t = new, new + (t - 1.0) / faster * (new - M), faster
        step *= 1.1
    return M, step, n_iter, bounds[0], False
