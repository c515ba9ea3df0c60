"""Names of recipe keys: ours, our former ones, and those of fairseq, OpenNMT-py and Hugging Face.

One table for the reference, for those who type a name they know from elsewhere, and for runs and
recipes that were written before a key was renamed.
"""

import re
from importlib.resources import files
from typing import NamedTuple


class Names(NamedTuple):
    """Other names of a key: our former one, and in fairseq, OpenNMT-py (eole) and Hugging Face."""

    former: str = ""
    fairseq: str = ""
    opennmt: str = ""
    huggingface: str = ""


def _read() -> dict[str, Names]:
    table = files(__package__).joinpath("synonyms.tsv").read_text(encoding="utf-8")
    rows = (line.split("\t") for line in table.splitlines()[1:])
    return {key: Names(*names) for key, *names in rows}


SYNONYMS = _read()
"""Every key that has another name somewhere, as `section.key`."""

NOTE = re.compile(r"\s*\([^)]*\)")
"""What stands in brackets behind a name: where it is called so."""

FORMER_SECTIONS = {"optimiser": "optimizer"}

FORMER_VALUES = {
    "task.kind": {
        "language": "language-model",
        "masked": "masked-lm",
        "spans": "span-corruption",
        "classification": "text-classification",
        "images": "image-classification",
    },
    "corpus.kind": {"labelled": "labeled"},
    "model.norm": {"before": "pre", "after": "post"},
}


def our_name(foreign: str) -> str | None:
    """Return our key for a name of another toolkit, if just one of our keys has it."""
    wanted = foreign.replace("-", "_")
    ours = {key for key in keys_called(foreign) if key.rpartition(".")[2] != wanted}
    return ours.pop() if len(ours) == 1 else None


def keys_called(foreign: str) -> list[str]:
    """Return our keys for a name of another toolkit."""
    wanted = foreign.replace("-", "_")
    return [key for key, names in SYNONYMS.items() if wanted in _spellings(names)]


def _spellings(names: Names) -> set[str]:
    """Return the names of a key elsewhere, one by one: `adam_beta1 / adam_beta2`, `r (peft)`."""
    plain = (NOTE.sub("", name) for name in names[1:])
    return {one.strip().replace("-", "_") for name in plain for one in name.split("/")} - {""}


def new_names(former: str) -> list[str]:
    """Return the keys that a key `section.name` may have become; none if it was never renamed."""
    section, _, name = former.partition(".")
    here = FORMER_SECTIONS.get(section, section)
    leaf = name.rpartition(".")[2]
    found = [
        key
        for key, names in SYNONYMS.items()
        if name and names.former == leaf and key.partition(".")[0] == here
    ]
    return found or ([f"{here}.{name}" if name else here] if here != section else [])


def former_value(key: str, value: object) -> str | None:
    """Return what a value of a key has become, if it was renamed."""
    path = key.split(".")
    return FORMER_VALUES.get(f"{path[0]}.{path[-1]}", {}).get(str(value))
