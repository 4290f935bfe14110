"""One matching job: the folds of an image set's protocol with one method.

What comes back per fold is a row that is the same on every run, a row of times, and the points
of a curve: ROC at fixed false positive rates, or CMC at ranks.
"""

import json
import time

import numpy as np

from ..files.columns import MATCH_SECONDS
from ..files.errors import PipelineError, one_line
from .attempt import attempt, limited_threads, progress, warm_up
from .estimator import load_estimator, make_estimator
from .fold import solver_facts
from .folds import used_folds
from .match_tuning import choose
from .part import fit
from .reidentification import Reidentification
from .splits import fold_seed
from .verification import Verification, check_same_pairs
from .whitening import KINDS, Projection, Whitening

PROTOCOLS = {kind.task: kind for kind in (Verification, Reidentification)}
WARM_UP_PAIRS = 60


def run_job(config, sets, *, identity):
    """Rows, times and curve points of all folds; ``sets`` are the features, more to combine."""
    matching, method = config["matching"], config["method"]
    check_sets(sets)
    protocols = [PROTOCOLS[features.task](features, matching) for features in sets]
    if hole := hole_of(method, protocols[0]):
        return [{**identity, "fold": 0, **hole}], [{**identity, "fold": 0}], []
    rows, times, curve = [], [], []
    folds = range(used_folds(matching, protocols[0].n_folds))
    name = f"{sets[0].name} {method['name']}"
    with limited_threads(matching["threads"]), progress(folds, name) as steps:
        for fold in steps:
            row = {
                "seed": fold_seed(matching["seed"], sets[0].name, 0, fold),
                "status": "ok",
                "message": "",
            }
            spent, points = dict.fromkeys(MATCH_SECONDS, 0.0), []
            attempt(
                lambda f=fold, r=row, s=spent, p=points: run_fold(config, protocols, f, r, s, p),
                row,
                matching["timeout"],
                "matching.timeout",
            )
            rows.append({**identity, "fold": fold, **row})
            times.append({**identity, "fold": fold, **spent})
            curve += [
                {**identity, "fold": fold, "kind": protocols[0].curve, "x": x, "y": y}
                for x, y in points
            ]
    return rows, times, curve


def check_sets(sets):
    """Several features can be combined for verification, if they are of the same pairs."""
    if len(sets) > 1:
        if sets[0].task != Verification.task:
            raise PipelineError(f"{sets[0].name}: features can be combined for verification only")
        check_same_pairs(sets)


def hole_of(method, protocol):
    """Why a method cannot take part at all, as the status of its one row, or None."""
    try:
        kind = load_estimator(method)
    except PipelineError as error:
        return {"status": "unavailable", "message": one_line(error)}
    if not protocol.labelled and not hasattr(kind, "fit_pairs"):
        return {
            "status": "skipped",
            "message": f"{method['title']} needs labelled images; verification gives pairs only",
        }
    return None


def run_fold(config, protocols, fold, row, spent, points):
    """Learn on the training part of one fold, measure on its test part; fills its arguments."""
    done = [
        run_feature(config, protocol, dimension, fold, row["seed"], spent)
        for protocol, dimension in zip(protocols, config["images"]["pca"], strict=True)
    ]
    train, test = done[0]["parts"]
    row.update(n_train=len(train.y), n_test=len(test.y) or int(test.probe.sum()))
    row["n_features"] = sum(one["parts"][0].X.shape[1] for one in done)
    if len(done) == 1:
        row.update(chosen=_text(done[0]["chosen"]), tuning_score=done[0]["tuning_score"])
        row.update(solver_facts(done[0]["model"]))
    else:
        names = config["images"]["parts"]
        row["chosen"] = _text({n: one["chosen"] for n, one in zip(names, done, strict=True)})
    start = time.perf_counter()
    measured, curve = protocols[0].measure([one["scores"] for one in done], train, test)
    spent["predict_s"] += time.perf_counter() - start
    row.update(measured)
    points += curve


def run_feature(config, protocol, dimension, fold, seed, spent):
    """Project, choose, whiten and fit on the training part; then score both parts."""
    method, matching = config["method"], config["matching"]
    kinds = KINDS if matching["preprocess"] == "chosen" else (matching["preprocess"],)
    start = time.perf_counter()
    train, test = protocol.split(fold)
    projection = Projection(dimension).fit(train.X)
    train, test = (part.with_images(projection.transform(part.X)) for part in (train, test))
    start = _add(spent, "prepare_s", start)
    kind, changes, inner_score = choose(method, kinds, protocol, train, matching, seed)
    start = _add(spent, "tune_s", start)
    whitening = Whitening(kind, matching["ridge"]).fit(train)
    train, test = (part.with_images(whitening.transform(part.X)) for part in (train, test))
    _add(spent, "prepare_s", start)
    if fold == 0:
        warm_up(lambda: fit(make_estimator(method, {}, seed, changes), _few(train)))
    model = make_estimator(method, {}, seed, changes)
    start, cpu = time.perf_counter(), time.process_time()
    fit(model, train)
    spent["fit_cpu_s"] += time.process_time() - cpu
    start = _add(spent, "fit_s", start)
    scores = protocol.scores(model, train, test)
    _add(spent, "predict_s", start)
    chosen = {**changes, "preprocess": kind}
    return {
        "model": model,
        "parts": (train, test),
        "scores": scores,
        "chosen": chosen,
        "tuning_score": inner_score,
    }


def _few(part):
    """Some pairs of both kinds and their images, for a first fit that is not timed."""
    from dataclasses import replace

    rows = np.concatenate([np.flatnonzero(part.y == k)[: WARM_UP_PAIRS // 2] for k in (1, -1)])
    few = np.unique(part.pairs[rows])
    index = np.searchsorted(few, part.pairs[rows])
    person = None if part.person is None else part.person[few]
    return replace(part, X=part.X[few], pairs=index, y=part.y[rows], person=person)


def _add(spent, key, start):
    now = time.perf_counter()
    spent[key] += now - start
    return now


def _text(value):
    return json.dumps(value, sort_keys=True)
