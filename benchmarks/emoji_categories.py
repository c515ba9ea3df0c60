"""Lay the held-out emoji of a run in folders by their Unicode category, to be sorted by its name.

No emoji is called as its category is, so nothing was trained to sort by them.

    python benchmarks/emoji_categories.py runs/emoji-clip held-out-emoji
    dragoman evaluate runs/emoji-clip held-out-emoji
"""

import json
import shutil
import sys
from pathlib import Path

from dragoman.data.batching.caption_sets import load_caption_sets
from dragoman.data.corpus.catalogue.archives import read_member
from dragoman.data.corpus.catalogue.emoji import LIST
from dragoman.data.corpus.catalogue.entries import find_entry
from dragoman.data.corpus.catalogue.store import fetch, present


def categories() -> dict[str, str]:
    """Return the category of each picture, as words."""
    listed = json.loads(read_member(fetch(find_entry("emoji"))[0], LIST))
    return {one["image"]: one["category"].lower().replace("&", "and") for one in listed}


def main() -> None:
    """Copy each picture of the test set into the folder of its category."""
    run, output = map(Path, sys.argv[1:])
    known, pictures = categories(), present(find_entry("emoji"))[0].path
    for one in load_caption_sets(run / "data").test.said:
        folder = output / known[one.image]
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(pictures / one.image, folder)
    for folder in sorted(output.iterdir()):
        print(f"{folder.name}: {len([*folder.iterdir()])}")


if __name__ == "__main__":
    main()
