"""A hash of the source that a stage runs, so that an edit of the code reruns it.

The source of a module is the module and every module of this package that it imports, at its top
or inside a function, taken from the text: nothing is imported here.
"""

import ast
import hashlib
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
NAME = PACKAGE.name
ASSETS = (".html", ".css", ".js")  # beside a module they belong to it


@cache
def fingerprint(*modules):
    """Ten hex digits for the sources of the given modules, e.g. "metriclearn.stages.train"."""
    digest = hashlib.sha256()
    for path in sources(*modules):
        digest.update(path.relative_to(PACKAGE).as_posix().encode() + b"\0")
        digest.update(path.read_bytes() + b"\0")
    return digest.hexdigest()[:10]


def sources(*modules):
    """The files behind the modules, sorted; modules outside of this package have none."""
    found, todo = set(), [path for name in modules if (path := _file(name))]
    while todo:
        path = todo.pop()
        if path not in found:
            found.add(path)
            todo.extend(_imports(path))
    assets = [path for folder in {p.parent for p in found} for path in folder.glob("*.*")]
    return sorted({*found, *(path for path in assets if path.suffix in ASSETS)})


def _file(name):
    """The file of a module by its dotted name; None for the package itself and for others."""
    parts = name.split(".")
    if parts[0] != NAME or len(parts) == 1:
        return None
    base = PACKAGE.joinpath(*parts[1:])
    for path in (base.with_suffix(".py"), base / "__init__.py"):
        if path.is_file():
            return path
    return None


@cache
def _imports(path):
    module = [NAME, *path.relative_to(PACKAGE).with_suffix("").parts]
    package = module[:-1]
    names = [".".join(module[: i + 1]) for i in range(1, len(module) - 1)]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            prefix = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join(prefix + ([node.module] if node.module else []))
            names += [base, *(f"{base}.{alias.name}" for alias in node.names)]
    return [found for name in names if (found := _file(name))]
