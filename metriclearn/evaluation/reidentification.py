"""Person re-identification: who of the gallery is this? (section 5.4 of the paper)

A partition draws half of the persons at random for training; the others test. VIPeR has one
image of each person from each of two cameras: camera B's are the probes, camera A's the gallery.
A probe's rank is that of its person, who is as far as his or her nearest gallery image.

CAVIAR4REID has several images of a person. One at random is set apart: the paper's text makes it
the probe and the others the gallery; its numbers come from the roles exchanged, one gallery image
of each person and the others the probes. ``matching.probe`` says which one is tuned for and gives
the columns ``rank…`` and the curve; ``one_probe_rank…`` are always those of the text, by the same
fit.

Training pairs: the images of one training person are similar pairs (across the cameras on VIPeR),
at most ``max_similar`` of them; for each, ``negatives`` dissimilar pairs join its first image with
images of other training persons (from the other camera on VIPeR). All draws depend on the seed,
the image set and the partition, not on the method.
"""

import zlib
from dataclasses import replace

import numpy as np

from ..files.errors import PipelineError
from .curves import RANKS, cmc, mean_reciprocal_rank, ranks
from .images import ImageProtocol
from .part import Part

REPORTED_RANKS = (1, 5, 10, 15, 20, 25, 50, 80, 100)
ONE_PROBE_RANKS = (1, 5, 10, 15)
PERSONS, PROBE, PAIRS = range(3)  # streams of random numbers


class Reidentification(ImageProtocol):
    """The protocol on one feature of an image set; features cannot be combined here."""

    task = "reidentification"
    curve = "cmc"

    def __init__(self, config, sets, shared=None):
        super().__init__(config, sets, shared)
        (self.features, *others) = sets
        if others:
            raise PipelineError(f"{self.name}: features can be combined for verification only")
        self.n_folds = self.settings["partitions"]
        self.entropy = [self.settings["seed"], zlib.crc32(self.name.encode())]
        self.probes = which_probes(self.features, self.settings["probe"])
        self.by_camera = self.probes == "camera"

    def parts(self, fold, view=0):
        """Half of the persons each."""
        of, number = self.features, fold["fold"]
        persons = np.unique(of.person)
        order = self._rng(number, PERSONS).permutation(persons)
        train = np.isin(of.person, order[: len(persons) // 2])
        kept, test = ((of.X[m], of.person[m], of.camera[m]) for m in (train, ~train))
        return (
            self._training(*kept, self._rng(number, PAIRS)),
            self._test(*test, self._rng(number, PROBE)),
        )

    def _rng(self, fold, stream):
        return np.random.default_rng([*self.entropy, fold, stream])

    def _training(self, X, person, camera, rng):
        similar = similar_pairs(person, camera if self.by_camera else None)
        limit, negatives = self.settings["max_similar"], self.settings["negatives"]
        if limit is not None and len(similar) > limit:
            kept = rng.choice(len(similar), limit, replace=False)
            similar = similar[np.sort(kept)]
        dissimilar = dissimilar_pairs(
            similar, person, camera if self.by_camera else None, negatives, rng
        )
        y = np.repeat([1, -1], [len(similar), len(dissimilar)])
        pairs = np.concatenate([similar, dissimilar])
        return Part(X=X, pairs=pairs, y=y, person=person, camera=camera)

    def _test(self, X, person, camera, rng):
        if self.by_camera:
            probe = camera == camera.max()
        else:
            apart = np.zeros(len(X), dtype=bool)
            for one in np.unique(person):
                apart[rng.choice(np.flatnonzero(person == one))] = True
            probe = apart if self.probes == "image" else ~apart
        none = np.empty((0, 2), dtype=np.int64)
        return Part(X=X, pairs=none, y=none[:, 0], person=person, camera=camera, probe=probe)

    def inner_splits(self, train, rng):
        """Parts of disjoint persons."""
        tuning = self.tuning
        persons = rng.permutation(np.unique(train.person))
        if len(persons) < 2 * tuning["folds"]:
            raise PipelineError(
                f"matching.tuning.folds is {tuning['folds']}, too many for {len(persons)} training "
                "persons: every part needs two"
            )
        splits = []
        for group in range(tuning["use_folds"] or tuning["folds"]):
            test = np.isin(train.person, persons[group :: tuning["folds"]])
            inner, held = (
                (train.X[m], train.person[m], train.camera[m], rng) for m in (~test, test)
            )
            splits.append((self._training(*inner), self._test(*held)))
        return splits

    def scores(self, model, train, test):
        """Distances of the probes to the gallery."""
        return model.pairwise_distance(test.X[test.probe], test.X[~test.probe])

    def measure(self, scores, train, test):
        """Numbers of a row, and the CMC curve."""
        (distances,) = scores
        found = self._ranks(distances, test)
        persons = len(np.unique(test.person))
        at = RANKS[RANKS <= persons]
        row = rates(found, [r for r in REPORTED_RANKS if r <= persons])
        row["mrr"] = mean_reciprocal_rank(found)
        if not self.by_camera:
            turned = self.probes == "others"
            once = self._ranks(distances.T, exchanged(test)) if turned else found
            row |= rates(once, [r for r in ONE_PROBE_RANKS if r <= persons], "one_probe_")
        return row, list(zip(at, cmc(found, at), strict=True))

    def tuning_score(self, model, train, test):
        """What the choice of parameters maximises: the mean reciprocal rank."""
        return mean_reciprocal_rank(self._ranks(self.scores(model, train, test), test))

    def _ranks(self, distances, test):
        return ranks(distances, test.person[test.probe], test.person[~test.probe])


def exchanged(test):
    """A test part with the gallery as probes and the probes as gallery."""
    return replace(test, probe=~test.probe)


def rates(found, at, prefix=""):
    """Columns of recognition rates: how many of the ranks are at most each of ``at``."""
    return {f"{prefix}rank{r}": float(np.mean(found <= r)) for r in at}


def which_probes(features, probe):
    """``camera``, ``image`` or ``others``: as set, or what ``paper`` means for an image set."""
    cameras = np.unique(features.camera)
    persons, counts = np.unique(features.person, return_counts=True)
    seen = np.unique(np.stack([features.person, features.camera]), axis=1).shape[1]
    in_both = len(cameras) == 2 and seen == 2 * len(persons)
    if probe == "camera" and not in_both:
        raise PipelineError(
            f"matching.probe=camera needs every person of {features.name} in both of two cameras; "
            "use matching.probe=others"
        )
    if probe != "paper":
        return probe
    return "camera" if in_both and (counts == 2).all() else "others"


def similar_pairs(person, camera=None):
    """All pairs of images of one person, with ``camera`` those from different cameras only."""
    i, j = np.triu_indices(len(person), 1)
    keep = person[i] == person[j]
    if camera is not None:
        keep &= camera[i] != camera[j]
    return np.stack([i[keep], j[keep]], axis=1)


def dissimilar_pairs(similar, person, camera, negatives, rng):
    """For each similar pair, its first image with ``negatives`` images of other persons."""
    pairs = np.empty((len(similar), negatives, 2), dtype=np.int64)
    for p, (i, j) in enumerate(similar):
        other = person != person[i]
        if camera is not None:
            other &= camera == camera[j]
        candidates = np.flatnonzero(other)
        if len(candidates) < negatives:
            raise PipelineError(
                f"matching.negatives is {negatives}, but a training image has only "
                f"{len(candidates)} images of other persons to be paired with"
            )
        pairs[p, :, 0] = i
        pairs[p, :, 1] = rng.choice(candidates, negatives, replace=False)
    return pairs.reshape(-1, 2)
