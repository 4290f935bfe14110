"""The built site, and the browser of the report page's tests."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/presentation"))  # for screen and browser

from browser import driver  # noqa: E402

__all__ = ["driver"]


@pytest.fixture(scope="session")
def root():
    return ROOT


@pytest.fixture(scope="session")
def site():
    folder = ROOT / "docs/_build/html"
    if not (folder / "index.html").is_file():
        pytest.fail(f"{folder} is not built: run make docs")
    return folder


@pytest.fixture
def visit(driver, site):
    """Opens a page of the site as a visitor sees it."""
    from screen import Screen

    def opened(page, **how):
        return Screen(driver, site / page).open(**how)

    return opened
