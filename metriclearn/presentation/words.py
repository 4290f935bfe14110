"""Words of sentences that tables, figures and the page make."""

PREPROCESS = {  # of images, see evaluation/whitening.py
    "plain": "PCA",
    "whiten": "whitened",
    "whiten_unit": "whitened, unit norm",
    "chosen": "chosen",
}


def listed(names):
    """Names as in a sentence: A, B and C."""
    names = list(names)
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
