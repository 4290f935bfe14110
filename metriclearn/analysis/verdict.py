"""Whether a value of the paper is reproduced: one rule for every table, figure and sentence.

A value is reproduced if ours, as printed, differs from it by at most two standard deviations. The
deviation is

- of a cross-validated data set, that of the mean error over the repetitions; where the paper's
  protocol has fewer of them than ours, that of ours if larger;
- of a fixed split, that of a share of the test samples (binomial), or that over the tuning seeds,
  whichever is larger;
- of faces and persons, that over the folds or partitions.

Where there is no deviation, as with one repetition, nothing is judged.
"""

from math import sqrt

DEVIATIONS = 2.0
VERDICTS = ("reproduced", "higher", "lower")  # ours, compared with the paper's
RULE = (
    "Reproduced: our value, rounded as the paper prints it, differs from the paper's by at most "
    "two standard deviations: over the repetitions of the cross-validation (where the paper's "
    "protocol has fewer than ours, over those of ours if larger); on a fixed split, the binomial "
    "one for the number of test samples, or the one over the tuning seeds if larger; for faces and "
    "persons, over the folds. A single repetition is not judged."
)


def judge(ours, paper, deviation, *, decimals=2):
    """(verdict, limit); (None, None) where one of the three is unknown.

    ``ours`` is rounded to the decimals that the paper prints.
    """
    if ours is None or paper is None or deviation is None:
        return None, None
    limit = DEVIATIONS * deviation
    difference = round(ours, decimals) - paper
    if abs(difference) <= limit:
        return "reproduced", limit
    return ("higher" if difference > 0 else "lower"), limit


def binomial_deviation(percent, n):
    """The standard deviation, in points, of a share in percent of ``n`` independent samples."""
    share = percent / 100.0
    return 100.0 * sqrt(share * (1.0 - share) / n)


def sampling_deviation(percent, *, over_runs, n_test=None):
    """The deviation of an error in percent that the verdict takes.

    ``over_runs`` is that over repetitions, folds or tuning seeds (None: there is one run);
    ``n_test`` the size of a fixed test part, None where the data set is cross-validated.
    """
    if n_test is None:
        return over_runs
    return max(binomial_deviation(percent, n_test), over_runs or 0.0)
