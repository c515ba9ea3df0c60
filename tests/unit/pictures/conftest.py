"""A real browser, for pages that are to be used."""

import os
import shutil

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@pytest.fixture(scope="session")
def browser():
    """Give the Chromium of this machine; one without it skips these tests, but CI never does."""
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        reason = f"there is no browser here: none of {', '.join(NAMES)}"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        running = started.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield running
        running.close()
