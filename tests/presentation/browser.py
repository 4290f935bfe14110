"""The real browser of the tests of pages."""

import os
import shutil

import pytest


def find_browser():
    """Paths of the browser and of its driver, None where there is none."""
    return shutil.which("chromium") or shutil.which("google-chrome"), shutil.which("chromedriver")


@pytest.fixture(scope="session")
def driver(tmp_path_factory):
    """A headless Chromium. Without one the tests are skipped, unless it is required."""
    binary, driver = find_browser()
    if not binary or not driver:
        reason = "no Chromium with its driver; apt-get install chromium chromium-driver"
        if os.environ.get("METRICLEARN_BROWSER") == "required":
            pytest.fail(reason)
        pytest.skip(reason)
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        f"--user-data-dir={tmp_path_factory.mktemp('profile')}",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    service = webdriver.ChromeService(driver)
    browser = webdriver.Chrome(options=options, service=service)
    browser.set_page_load_timeout(120)
    browser.set_script_timeout(60)
    yield browser
    browser.quit()
