"""List, fetch, check and describe the data sets of the paper."""

import argparse
import sys
from collections.abc import Sequence

from ..datasets.content import canonical_label
from ..datasets.errors import DatasetError, DatasetUnavailable
from ..datasets.load import ALL_SOURCES, load_dataset, obtain
from ..datasets.spec import DatasetSpec, list_datasets, load_spec
from ..files import resources

LOCAL_SOURCES = ("shipped", "cache", "mirror")

EPILOG = f"""\
sources, in this order: the repository's data/, the cache, the mirror folder, the public download,
OpenML.

environment:
  {resources.CACHE_VARIABLE}      cache folder
  {resources.MIRROR_VARIABLE}     folder with the files under their public names
  {resources.DATA_VARIABLE}       another folder in place of data/
  {resources.OFFLINE_VARIABLE}=1  never use the network

examples:
  metriclearn datasets list
  metriclearn datasets fetch mnist semeion usps
  metriclearn datasets fetch sonar --source public
  metriclearn datasets verify
  metriclearn datasets info ilpd
"""


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="metriclearn datasets",
        description=__doc__,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands.add_parser("list", help="names, sizes and where each is found")
    fetch = commands.add_parser(
        "fetch", help="make data sets available, downloading them into the cache if necessary"
    )
    fetch.add_argument("names", nargs="+", metavar="NAME", help="a data set's name, or 'all'")
    fetch.add_argument("--source", choices=ALL_SOURCES, help="only this source")
    verify = commands.add_parser(
        "verify", help="compare the local copies with the configured content hashes"
    )
    verify.add_argument("names", nargs="*", metavar="NAME", help="default: every data set")
    info = commands.add_parser("info", help="facts of one data set, or of a csv file")
    info.add_argument("name", metavar="NAME")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit code is 0 only if it succeeded."""
    options = build_parser().parse_args(arguments)
    try:
        if options.command == "list":
            return print_list()
        if options.command == "fetch":
            return fetch_all(options.names, options.source)
        if options.command == "verify":
            return verify_all(options.names)
        return print_info(options.name)
    except DatasetError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        return 1
    except KeyboardInterrupt:
        print("error: interrupted", file=sys.stderr)
        return 130


def where_now(spec: DatasetSpec) -> str:
    """The local source that a data set would be read from; nothing is read."""
    if spec.shipped and (resources.data_dir() / spec.shipped).is_file():
        return "shipped"
    for place, root in (("cache", resources.cache_dir()), ("mirror", resources.mirror_dir())):
        if root and all((root / spec.folder / name).is_file() for name in spec.files):
            return place
    if (resources.cache_dir() / spec.folder / f"{spec.name}-openml.npz").is_file():
        return "cache"
    return "to be fetched"


def print_list() -> int:
    print(f"{'name':<18}{'rows':>7}{'features':>10}{'classes':>9}  {'split':<14}{'is':<15}title")
    for name in list_datasets(variants=True):
        spec = load_spec(name)
        split = "+".join(map(str, spec.split_sizes)) if spec.split_sizes else "-"
        print(
            f"{name:<18}{spec.n_samples:>7}{spec.n_features:>10}{len(spec.classes):>9}  "
            f"{split:<14}{where_now(spec):<15}{spec.title}"
        )
    return 0


def fetch_all(names: Sequence[str], source: str | None) -> int:
    specs = [load_spec(n) for n in (list_datasets() if list(names) == ["all"] else names)]
    failures = 0
    for spec in specs:
        try:
            fetched = obtain(spec, source=source)
            print(f"{spec.name}: from {fetched.source}, content {spec.content_hash[:12]}")
        except DatasetError as error:
            failures += 1
            print(f"error: {error}", file=sys.stderr)
    return 1 if failures else 0


def verify_all(names: Sequence[str]) -> int:
    specs = [load_spec(name) for name in (names or list_datasets(variants=True))]
    failures = 0
    for spec in specs:
        checked = 0
        for source in LOCAL_SOURCES:
            try:
                obtain(spec, source=source, quiet=True)
            except DatasetUnavailable as error:
                if not error.absent:
                    failures += 1
                    print(f"error: {error}", file=sys.stderr)
                continue
            checked += 1
            print(f"{spec.name}: {source} ok, content {spec.content_hash[:12]}")
        if not checked:
            print(f"{spec.name}: not on this machine")
            failures += bool(names)
    return 1 if failures else 0


def print_info(name: str) -> int:
    if name not in list_datasets(variants=True):
        dataset = load_dataset(name)
        n, d = dataset.X.shape
        print(f"{dataset.source}: {n} rows, {d} features")
        for code, label in enumerate(dataset.target_names):
            print(f"  label {label}: {(dataset.y == code).sum()} rows")
        print(f"  content hash {dataset.content_hash}")
        return 0
    spec = load_spec(name)
    counts = zip(spec.classes, spec.class_counts, strict=True)
    rows = {
        "title": spec.title,
        "rows × features": f"{spec.n_samples} × {spec.n_features}",
        "classes": ", ".join(f"{canonical_label(label)} ({count})" for label, count in counts),
        "split": f"{spec.split['train']} train + {spec.split['test']} test"
        if spec.split
        else "none: cross-validated",
        "PCA in the paper": spec.pca or "none",
        "features": ", ".join(spec.names_of_features[:8]) + (" …" if spec.n_features > 8 else ""),
        "missing values": dict(spec.missing) if spec.missing else "none",
        "is": where_now(spec),
        "public files": ", ".join(location.url for location in spec.public),
        "page": spec.page,
        "donors": spec.donors,
        "licence": spec.licence,
        "citation": spec.citation,
        "content hash": spec.content_hash,
        "notes": spec.notes or "none",
    }
    for key, value in rows.items():
        print(f"{key:<18}{value}")
    return 0
