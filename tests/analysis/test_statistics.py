"""The tests of significance against published examples, hand calculations and other formulas."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from metriclearn.analysis.statistics import (
    MIN_DATASETS,
    cliques,
    corrected_t,
    critical_difference,
    friedman,
    holm,
    iman_davenport,
    mean_ranks,
    nemenyi,
    signed_ranks,
)

# Areas under the curve of C4.5, with m tuned, with cf tuned, with both: Demšar 2006, Table 6. On
# voting the third decimal of the last two ties, the published ranks do not.
DEMSAR = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.975, 0.9749],
        [0.957, 0.978, 0.946, 0.970],
    ]
)
DEMSAR_RANKS = [3.143, 2.000, 2.893, 1.964]


def test_friedman_on_demsars_example():
    ranks = mean_ranks(-DEMSAR)
    assert ranks == pytest.approx(DEMSAR_RANKS, abs=5e-4)
    chi_square, p = friedman(-DEMSAR)
    # He does not correct for ties: three pairs and one four, sum of t^3 - t = 3 * 6 + 60, over
    # N k (k^2 - 1) = 14 * 60.
    published = chi_square * (1 - 78 / 840)
    assert published == pytest.approx(9.28, abs=0.005)
    assert p == pytest.approx(stats.chi2.sf(chi_square, 3))
    value, p = iman_davenport(published, 14, 4)
    assert value == pytest.approx(3.69, abs=0.005)
    assert p == pytest.approx(stats.f.sf(3.69, 3, 39), rel=0.01)


def test_iman_davenport_is_the_analysis_of_variance_of_ranks():
    errors = np.random.default_rng(0).integers(0, 6, size=(11, 5))
    ranks = stats.rankdata(errors, axis=1)
    between = 11 * ((ranks.mean(axis=0) - 3.0) ** 2).sum()
    within = ((ranks - 3.0) ** 2).sum() - between
    value, p = iman_davenport(friedman(errors)[0], 11, 5)
    assert value == pytest.approx((between / 4) / (within / 40))
    assert p == pytest.approx(stats.f.sf(value, 4, 40))


def test_friedman_at_its_ends():
    assert friedman(np.ones((7, 3))) == (0.0, 1.0)
    chi_square, _ = friedman(np.tile([1.0, 2.0, 3.0], (8, 1)))
    assert chi_square == pytest.approx(8 * 2)  # N (k - 1): the same order everywhere
    assert iman_davenport(chi_square, 8, 3) == (float("inf"), 0.0)


@pytest.mark.parametrize(
    ("k", "q"),
    [
        (2, 1.960),
        (3, 2.343),
        (4, 2.569),
        (5, 2.728),
        (6, 2.850),
        (7, 2.949),
        (8, 3.031),
        (9, 3.102),
        (10, 3.164),
    ],
)
def test_critical_values_are_demsars_table(k, q):
    assert critical_difference(k * (k + 1) / 6, k) == pytest.approx(q, abs=1e-3)


def test_nemenyi_on_demsars_example():
    assert critical_difference(14, 4) == pytest.approx(1.25, abs=0.005)
    assert critical_difference(14, 4, alpha=0.10) == pytest.approx(1.12, abs=0.005)
    p = nemenyi(mean_ranks(-DEMSAR), 14)
    assert (p == p.T).all() and p.diagonal() == pytest.approx(1.0)
    # At 0.10, "C4.5 is significantly worse than with m and with both", and nothing else differs.
    assert np.argwhere(np.triu(p < 0.10)).tolist() == [[0, 1], [0, 3]]


def test_nemenyis_p_is_005_at_the_critical_difference():
    ranks = [1.0, 1.0 + critical_difference(13, 10), 4.0, *range(4, 11)]
    assert nemenyi(ranks, 13)[0, 1] == pytest.approx(0.05, abs=1e-6)


def test_cliques():
    assert cliques(DEMSAR_RANKS, 1.25) == [(3, 1, 2, 0)]
    assert cliques(DEMSAR_RANKS, 1.12) == [(3, 1, 2), (2, 0)]
    assert cliques([1.0, 2.0, 3.0], 1.0) == []  # a difference that reaches the limit counts
    assert cliques([2.0, 2.0, 9.0], 1.0) == [(0, 1)]


def test_signed_ranks_on_demsars_example():
    result = signed_ranks(DEMSAR[:, 1] - DEMSAR[:, 0])
    assert (result.plus, result.minus) == (93.0, 12.0)
    assert result.p < 0.05  # 12 lies below 21, the critical value


@pytest.mark.parametrize("seed", range(5))
def test_signed_ranks_count_all_choices_of_signs(seed):
    differences = np.random.default_rng(seed).integers(-3, 4, size=9)
    ranks = stats.rankdata(abs(differences))

    def distance(signs):
        return abs((signs * ranks)[differences != 0].sum())

    found = distance(np.sign(differences))
    choices = [distance(np.array(signs)) for signs in product((-1, 1), repeat=9)]
    assert signed_ranks(differences).p == pytest.approx(np.mean([c >= found for c in choices]))


def test_signed_ranks_without_ties_are_scipys():
    differences = np.random.default_rng(1).normal(0.4, 1.0, size=13)
    reference = stats.wilcoxon(differences, method="exact")
    result = signed_ranks(differences)
    assert min(result.plus, result.minus) == reference.statistic
    assert result.p == pytest.approx(reference.pvalue)


def test_signed_ranks_at_their_ends():
    assert signed_ranks(np.zeros(8)) == (18.0, 18.0, 1.0)
    assert signed_ranks(np.ones(MIN_DATASETS)).p < 0.05 <= signed_ranks(np.ones(MIN_DATASETS - 1)).p
    printed = [0.3 - 0.2, 0.2 - 0.3, 0.8 - 0.7]  # 0.1 each, but not as binary fractions
    assert signed_ranks(printed)[:2] == (4.0, 2.0)


def test_holm_by_hand():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.7, 0.6]) == pytest.approx([1.0, 1.0])
    assert holm([]).tolist() == []


def test_corrected_t_by_hand():
    # Mean 2, variance 1, 1/3 + 1/6 = 1/2; with 2 degrees of freedom p = 1 - t / sqrt(2 + t^2).
    t, p = corrected_t([1.0, 2.0, 3.0], 1 / 6)
    assert t == pytest.approx(8**0.5)
    assert p == pytest.approx(1 - (8 / 10) ** 0.5)
    assert corrected_t([-1.0, -2.0, -3.0], 1 / 6) == pytest.approx((-t, p))


def test_corrected_t_without_overlap_is_students():
    differences = np.random.default_rng(2).normal(0.3, 1.0, size=20)
    assert corrected_t(differences, 0.0) == pytest.approx(tuple(stats.ttest_1samp(differences, 0)))


def test_corrected_t_at_its_ends():
    assert corrected_t([0.0, 0.0], 0.1) == (0.0, 1.0)
    assert corrected_t([-1.0, -1.0], 0.1) == (float("-inf"), 0.0)
    with pytest.raises(ValueError, match="needs at least 2 differences, got 1"):
        corrected_t([1.0], 0.1)


def test_corrected_t_keeps_its_level_where_students_does_not():
    """Two learners of equal worth, the means of two equal variables, by 10 × 10 folds."""
    rng = np.random.default_rng(3)
    rejected = {"corrected": 0, "student": 0}
    for _ in range(300):
        samples = rng.normal(size=(60, 2))
        losses = []
        for _ in range(10):
            folds = rng.permutation(samples).reshape(10, 6, 2)
            learned = (folds.sum(axis=(0, 1)) - folds.sum(axis=1)) / 54
            losses.append(((folds - learned[:, None]) ** 2).mean(axis=1))
        differences = np.concatenate(losses) @ [1.0, -1.0]
        rejected["corrected"] += corrected_t(differences, 1 / 9)[1] < 0.05
        rejected["student"] += corrected_t(differences, 0.0)[1] < 0.05
    assert rejected["corrected"] / 300 < 0.08
    assert rejected["student"] / 300 > 0.3
