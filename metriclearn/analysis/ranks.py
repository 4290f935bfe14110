"""Average ranks over data sets. Ties share the mean of their places (Demšar 2006).

Errors are a frame with a row per data set and a column per method; missing ones are NaN.
"""

import pandas as pd


def average_ranks(errors):
    """The mean rank of each method over the data sets where it has one, smallest error first."""
    return errors.rank(axis=1, method="average").mean()


def complete_datasets(errors):
    """The data sets on which every method that has any result has one; without the other methods.

    A method that fails on the hard data sets must not win by its ranks on the easy ones.
    """
    return _part(errors.dropna(axis=1, how="all").dropna(axis=0))


def complete_methods(errors):
    """The methods that have a result on every data set that has any; without the other sets."""
    return _part(errors.dropna(axis=0, how="all").dropna(axis=1))


def _part(errors):
    return pd.DataFrame() if errors.empty else errors


def compare_ranks(errors, paper):
    """(ours, the paper's, number of data sets): average ranks by method, of both tables of errors.

    Both are over the data sets on which every method with results has one. The paper's are those
    of the same methods on the same data sets, as far as it has them.
    """
    ranked = complete_datasets(errors)
    same = paper.reindex(
        index=ranked.index.intersection(paper.index, sort=False),
        columns=ranked.columns.intersection(paper.columns, sort=False),
    )
    ours, papers = (average_ranks(part).dropna().to_dict() for part in (ranked, same))
    return ours, papers, len(ranked)
