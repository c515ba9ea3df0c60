"""Publish full runs of experiments: their pages, figures and records.

    python tools/publish_lab.py lab

Of each folder NAME-full in a folder of results, table.md becomes docs/results/lab/NAME.md (what was
written there before the run stays at its top), picture.png its figure, and the verdicts go into
src/dragoman/lab/published.json, which comes with the package.
"""

import json
import shutil
import sys
from pathlib import Path

from dragoman.lab.catalogue import claims
from dragoman.lab.measured_records import measured_records
from dragoman.lab.records import read_records, write_records
from dragoman.lab.state import PUBLISHED

ROOT = Path(__file__).parents[1]
PAGES, FIGURES = ROOT / "docs" / "results" / "lab", ROOT / "docs" / "figures"
BEFORE = "## Settings, written before the run"


def page_of(folder: Path, name: str) -> str:
    """Return the page of a result, with what was written before the run, if anything was."""
    title, told, rest = (folder / "table.md").read_text(encoding="utf-8").split("\n\n", 2)
    path = PAGES / f"{name}.md"
    old = path.read_text(encoding="utf-8") if path.is_file() else ""
    written = BEFORE + old.split(BEFORE, 1)[1].split("\n## ", 1)[0] if BEFORE in old else ""
    figure = f"![{title.removeprefix('# ')}](../../figures/lab-{name}.png)"
    return "\n\n".join(filter(None, (title, told, written.strip(), rest.strip(), figure))) + "\n"


def main() -> None:
    """Publish every full result of a folder."""
    folder = Path(sys.argv[1])
    records = {**read_records(PUBLISHED), **measured_records(folder, claims().values())}
    full = {id_: one for id_, one in records.items() if one.finding and one.finding.size == "full"}
    write_records(PUBLISHED, {id_: full[id_] for id_ in claims() if id_ in full})
    for path in sorted(folder.glob("*-full/result.json")):
        name = json.loads(path.read_text(encoding="utf-8"))["subject"]
        (PAGES / f"{name}.md").write_text(page_of(path.parent, name), encoding="utf-8")
        shutil.copy(path.with_name("picture.png"), FIGURES / f"lab-{name}.png")
        print(name)


if __name__ == "__main__":
    main()
