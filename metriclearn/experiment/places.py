"""Where the files of a run lie, below a root folder: by default the one a command is started in."""

from typing import NamedTuple


class Source(NamedTuple):
    """Where rows lie that are collected: those of ``file`` with the values of ``chosen``."""

    label: str  # a variant's name
    file: str
    chosen: dict[str, str]


class Places:
    """The paths of one run, as text; ``name`` is its folder in results/ and figures/."""

    def __init__(self, name, root=""):
        self.name = name
        self.root = str(root)

    def _path(self, text):
        return f"{self.root}/{text}" if self.root else text

    # Shared by all runs ---------------------------------------------------------------------

    def data(self, dataset):
        return self._path(f"results/data/{dataset}.npz")

    def note(self, dataset):
        """What fetch says about a data set."""
        return self._path(f"results/data/{dataset}.fetch.json")

    def images_note(self, images):
        return self._path(f"results/images/{images}.fetch.json")

    def features(self, images, feature):
        return self._path(f"results/images/{images}-{feature}.npz")

    # Of the run -----------------------------------------------------------------------------

    def results(self, name):
        """A file in the results of the run."""
        return self._path(f"results/{self.name}/{name}")

    def split(self, dataset):
        return self.results(f"splits/{dataset}.npz")

    def train(self, dataset, method, batch):
        return self.results(f"train/{dataset}/{method}/repeat{batch}.rows.csv")

    def grid(self, dataset, method, batch):
        return self.results(f"grid/{dataset}/{method}/repeat{batch}.rows.csv")

    def match(self, images, feature, method):
        return self.results(f"match/{images}-{feature}/{method}.rows.csv")

    def item(self, kind, *parts):
        """The rows of a job that one table or figure alone needs."""
        return self.results(f"{kind}/{'/'.join(parts)}.rows.csv")

    def collected(self, group, kind):
        """All rows of a group, or what lies beside them: times, data, curve."""
        return self.results(f"{group}.{kind}.csv")

    def table(self, item, end):
        return self.results(f"tables/{item}.{end}")

    def figures(self):
        return self._path(f"figures/{self.name}")

    def figure(self, item, end):
        return f"{self.figures()}/{item}.{end}"

    def report(self):
        return self.results("report.html")
