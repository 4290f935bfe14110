"""Words of sentences that tables and the page make."""


def listed(names):
    """Names as in a sentence: A, B and C."""
    names = list(names)
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
