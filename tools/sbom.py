"""Write a software bill of materials: CycloneDX 1.6 of what is installed and needed to run.

    python tools/sbom.py > sbom.json

It starts from dragoman and the extras that people run, follows what each package requires, and
takes names, versions and licenses from the packages' own metadata. Hashes are those of the locks.
"""

import json
import re
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

LOCKS = Path(__file__).parents[1] / "locks"
EXTRAS = frozenset({"serve", "export", "gguf", "vision", "track", "documents"})
LOCKED = re.compile(r"(\S+)==(\S+) --hash=sha256:([0-9a-f]{64})")
LONGEST_NAME = 80
"""Characters of a license's name; what is longer is its text."""

Extras = frozenset[str]


def requirements(found: Distribution, extras: Extras) -> Iterator[tuple[str, Extras]]:
    """Yield what a package with some extras requires here, each with its own extras."""
    for text in found.requires or ():
        one = Requirement(text)
        marker = one.marker
        if marker is None or any(marker.evaluate({"extra": extra}) for extra in (extras or {""})):
            yield canonicalize_name(one.name), frozenset(one.extras)


def installed(name: str, extras: Extras) -> dict[str, tuple[Distribution, set[str]]]:
    """Return a package and all below it by name, each with the names of what it requires."""
    known: dict[str, tuple[Distribution, set[str]]] = {}
    waiting, seen = [(name, extras)], set()
    while waiting:
        asked = waiting.pop()
        if asked in seen:
            continue
        seen.add(asked)
        try:
            found = distribution(asked[0])
        except PackageNotFoundError:  # of an extra that is not installed
            continue
        _, below = known.setdefault(asked[0], (found, set()))
        for wanted in requirements(found, asked[1] | {""}):
            below.add(wanted[0])
            waiting.append(wanted)
    return known


def licenses(found: Distribution) -> list[dict]:
    """Return the license of a package as its metadata say it: an expression, or a name."""
    expression = found.metadata.get("License-Expression")
    if expression:
        return [{"expression": expression}]
    text = (found.metadata.get("License") or "").strip()
    if text and text.upper() != "UNKNOWN" and "\n" not in text and len(text) <= LONGEST_NAME:
        return [{"license": {"name": text}}]
    classifiers = found.metadata.get_all("Classifier") or []
    names = [one.rpartition(" :: ")[2] for one in classifiers if one.startswith("License ::")]
    return [{"license": {"name": name}} for name in names]


def locked_hashes() -> dict[tuple[str, str], set[str]]:
    """Return the hashes that the locks have, by name and version."""
    hashes: dict[tuple[str, str], set[str]] = {}
    for path in LOCKS.glob("*.txt"):
        for name, version, digest in LOCKED.findall(path.read_text(encoding="utf-8")):
            hashes.setdefault((canonicalize_name(name), version), set()).add(digest)
    return hashes


def component(name: str, found: Distribution, hashes: set[str]) -> dict:
    """Return a package as a component."""
    url = f"pkg:pypi/{name}@{found.version}".replace("+", "%2B")
    made = {"type": "library", "bom-ref": url, "name": name, "version": found.version, "purl": url}
    if found.metadata.get("Summary"):
        made["description"] = found.metadata["Summary"]
    if stated := licenses(found):
        made["licenses"] = stated
    if hashes:
        made["hashes"] = [{"alg": "SHA-256", "content": one} for one in sorted(hashes)]
    return made


def bill(name: str = "dragoman", extras: Extras = EXTRAS) -> dict:
    """Return the bill of materials of an installed package."""
    packages, hashes = installed(name, extras), locked_hashes()
    components = {
        one: component(one, found, hashes.get((one, found.version), set()))
        for one, (found, _) in sorted(packages.items())
    }
    refs = {one: made["bom-ref"] for one, made in components.items()}
    graph = [
        {"ref": refs[one], "dependsOn": sorted(refs[two] for two in below if two in refs)}
        for one, (_, below) in sorted(packages.items())
    ]
    subject = {**components.pop(name), "type": "application"}
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": subject},
        "components": [*components.values()],
        "dependencies": graph,
    }


if __name__ == "__main__":
    print(json.dumps(bill(), indent=2, ensure_ascii=False))
