"""The parts of the package, and which of them may import which."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "metriclearn"
# A part may import from the parts before it, and from itself.
PARTS = (
    "solvers",
    "estimators",
    "plot",
    "files",
    "datasets",
    "vision",
    "evaluation",
    "experiment",
    "analysis",
    "presentation",
    "stages",
    "workflow",
)
# A use of the estimators alone needs none of the pipeline.
LIBRARY = ("solvers", "estimators", "plot")


def imported_parts(path, package=PACKAGE):
    """(part, line) of every import from this package in a file, at its top or in a function."""
    folders = path.relative_to(package).parts[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = [package.name, *folders[: len(folders) - node.level + 1]] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            names = [f"{module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            parts = name.split(".")
            if parts[0] == package.name and len(parts) > 1:
                yield parts[1], node.lineno


def wrong_imports(package=PACKAGE):
    """Imports against the direction, as text."""
    found = []
    for path in sorted(package.rglob("*.py")):
        part = path.relative_to(package).parts[0]
        if part not in PARTS:
            continue  # __init__ and __main__ may import anything
        allowed = PARTS[: PARTS.index(part) + 1]
        for other, line in imported_parts(path, package):
            if other in PARTS and other not in allowed:
                found.append(f"{path.relative_to(package)}:{line} imports {other}")
    return found


def test_the_top_level_shows_the_parts_and_nothing_else():
    names = {path.name for path in PACKAGE.iterdir() if path.name != "__pycache__"}
    assert names == {"__init__.py", "__main__.py", "py.typed", *PARTS}


def test_imports_go_one_way():
    assert wrong_imports() == []


def test_the_estimators_need_nothing_of_the_pipeline():
    for part in LIBRARY:
        for path in (PACKAGE / part).rglob("*.py"):
            assert {other for other, _ in imported_parts(path)} <= set(LIBRARY), path


@pytest.mark.parametrize(
    "text",
    [
        "from ..stages.train import train\n",
        "def f():\n    from ..stages import train\n",
        "from metriclearn.stages import train\n",
        "import metriclearn.stages.train\n",
        "from .. import stages\n",
    ],
)
def test_a_wrong_import_is_found_however_it_is_written(text, tmp_path):
    package = tmp_path / "metriclearn"
    (package / "datasets").mkdir(parents=True)
    (package / "datasets/load.py").write_text(text)
    assert wrong_imports(package) == [
        f"datasets/load.py:{2 if text.startswith('def') else 1} imports stages"
    ]


def test_nothing_private_is_imported_from_another_part():
    """A name with an underscore belongs to its own folder."""
    for path in PACKAGE.rglob("*.py"):
        here = path.relative_to(PACKAGE).parts[0]
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level > 1:
                module = (node.module or "").split(".")
                private = [p for p in module if p.startswith("_")]
                private += [a.name for a in node.names if a.name.startswith("_")]
                private = [name for name in private if name != "__version__"]
                assert not private or module[0] == here, f"{path}: {private}"


def test_the_package_does_not_import_snakemake():
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module or ""]
            assert not [n for n in names if n.split(".")[0] == "snakemake"], path


def test_the_tests_mirror_the_package():
    folders = {path.name for path in Path(__file__).parent.iterdir() if path.is_dir()}
    assert folders - {"__pycache__", "docs", "system"} <= set(PARTS)
