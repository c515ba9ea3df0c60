"""Draw the figures of docs/how-to/lab.md from a site that `dragoman lab report` has written.

    python tools/lab_figures.py lab/site

It needs Chromium; the figures go into docs/figures.
"""

import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

FIGURES = Path(__file__).parents[1] / "docs" / "figures"
WIDTH = 860
SHOTS = {
    "index": ("index.html", "", 900),
    "topic": ("gradient-flow.html", "", 1500),
    "errata": ("errata.html", "E104", 900),
}
"""Of each figure: the page, the claim at its top, and its height."""


def main(site: Path) -> None:
    """Draw each figure."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"))
        for name, (file, claim, height) in SHOTS.items():
            page = browser.new_page(viewport={"width": WIDTH, "height": height})
            page.goto((site.resolve() / file).as_uri())
            if claim:
                page.evaluate("id => document.getElementById(id).scrollIntoView()", claim)
            path = FIGURES / f"lab-site-{name}.png"
            page.screenshot(path=path)
            print(f"{path.name}: {path.stat().st_size // 1024} kB")
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
