"""The site of the documentation, built by `make docs`."""

import subprocess
import sys

from sphinx.application import Sphinx

import dragoman

project = "Dragoman"
release = dragoman.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc"]
exclude_patterns = ["_build"]
highlight_language = "text"
myst_heading_anchors = 3
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True

html_theme = "furo"
html_title = f"Dragoman {release}"
html_domain_indices = False
html_show_copyright = False
html_show_sphinx = False


def setup(app: Sphinx) -> None:
    """Let the page of commands be made by the commands themselves."""
    app.connect("source-read", add_help)


def add_help(_: Sphinx, page: str, text: list[str]) -> None:
    """Add the help of every verb to the page of commands."""
    if page == "reference/commands":
        command = ["-m", "typer", "dragoman.cli.main", "utils", "docs", "--name", "dragoman"]
        made = subprocess.run(
            [sys.executable, *command], capture_output=True, text=True, check=True
        )
        text[0] += made.stdout[made.stdout.index("\n## ") :]
