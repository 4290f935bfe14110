"""Average ranks over data sets, as in the last row of Tables 3 and 5."""

TIES = ("min", "average")


def ranks(values, ties):
    """Ranks of a dict of errors, smallest first; None (a hole) has no rank.

    ``min``: ties share the smaller rank, as in the paper. ``average``: the mean of their places.
    """
    known = [value for value in values.values() if value is not None]
    out = {}
    for name, value in values.items():
        if value is None:
            out[name] = None
            continue
        smaller = sum(v < value for v in known)
        equal = sum(v == value for v in known)
        out[name] = smaller + (1 if ties == "min" else (equal + 1) / 2)
    return out


def average_ranks(table, ties):
    """Mean rank per method over the data sets where it has one; ``table[dataset][method]``."""
    collected = {}
    for values in table.values():
        for name, rank in ranks(values, ties).items():
            collected.setdefault(name, [])
            if rank is not None:
                collected[name].append(rank)
    return {name: sum(r) / len(r) if r else None for name, r in collected.items()}


def complete_part(table):
    """The data sets on which every method that has any result has one, without the others.

    A method that fails on the hard data sets must not win by its ranks on the easy ones.
    """
    alive = {m for values in table.values() for m, value in values.items() if value is not None}
    return {
        dataset: {m: value for m, value in values.items() if m in alive}
        for dataset, values in table.items()
        if alive and all(values[m] is not None for m in alive)
    }
