"""What is installed is known: locks that agree with the constraints, and a bill of materials."""

import json
import re
from importlib.metadata import files
from pathlib import Path

import pytest
from packaging.utils import canonicalize_name
from tools.lock import EXTRAS, UNLOCKED, lock_lines
from tools.sbom import LOCKED, bill

ROOT = Path(__file__).parents[2]
LOCKS = sorted((ROOT / "locks").glob("*.txt"))
SCHEMAS = "cyclonedx-python-lib"


def pins() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pairs = (line.partition("==") for line in lines)
    return {canonicalize_name(name): version for name, _, version in pairs}


def locked(path: Path) -> dict[str, str]:
    lines = path.read_text(encoding="utf-8").splitlines()
    found = [LOCKED.fullmatch(line) for line in lines]
    assert all(found), path
    return {canonicalize_name(one[1]): one[2] for one in found}


def test_there_is_a_lock_for_each_extra_that_make_installs():
    assert {path.name.partition("-")[0] for path in LOCKS} == set(EXTRAS)


@pytest.mark.parametrize("path", LOCKS, ids=lambda path: path.stem)
def test_a_lock_has_the_versions_of_the_constraints_and_no_torch(path):
    assert locked(path).items() <= pins().items()
    assert not UNLOCKED & locked(path).keys()


def test_the_lock_for_developers_has_every_constraint_but_torch():
    (path,) = (one for one in LOCKS if one.name == "dev-cp311-linux-x86_64.txt")
    assert pins().keys() - locked(path).keys() == {"torch"}


def test_no_index_is_named_in_a_lock():
    assert not any(re.search(r"://|index-url", path.read_text()) for path in LOCKS)


def test_torch_and_what_comes_with_it_for_graphics_cards_is_left_out_of_a_lock():
    def file(name: str) -> dict:
        hashes = {"archive_info": {"hashes": {"sha256": "0" * 64}}}
        return {"metadata": {"name": name, "version": "1"}, "download_info": hashes}

    names = ["torch", "nvidia-cublas-cu12", "triton", "h11", "Babel"]
    lines = lock_lines([file(name) for name in names])
    assert [line.partition("==")[0] for line in lines] == ["Babel", "h11"]


@pytest.fixture(scope="module")
def materials() -> dict:
    return bill()


def test_the_bill_of_materials_has_what_the_package_needs_and_how_it_hangs_together(materials):
    names = {one["name"] for one in materials["components"]}
    assert {"torch", "numpy", "uvicorn", "h11", "starlette"} <= names
    assert not {"pytest", "dragoman"} & names
    assert all(one.get("licenses") for one in materials["components"])
    graph = {one["ref"].split("@")[0]: one["dependsOn"] for one in materials["dependencies"]}
    assert any(ref.startswith("pkg:pypi/torch@") for ref in graph["pkg:pypi/dragoman"])
    assert any(ref.startswith("pkg:pypi/h11@") for ref in graph["pkg:pypi/uvicorn"])
    known = {materials["metadata"]["component"]["bom-ref"]}
    known |= {one["bom-ref"] for one in materials["components"]}
    assert {ref for below in graph.values() for ref in below} <= known


def test_packages_of_the_locks_have_hashes_in_the_bill_of_materials(materials):
    serve = locked(ROOT / "locks" / "serve-cp311-linux-x86_64.txt")
    for one in materials["components"]:
        if serve.get(one["name"]) == one["version"]:
            assert one["hashes"][0]["alg"] == "SHA-256"


def test_the_bill_of_materials_is_valid_by_the_schema_of_cyclonedx(materials):
    jsonschema_rs = pytest.importorskip("jsonschema_rs")
    try:
        found = files(SCHEMAS) or []
    except ModuleNotFoundError:
        pytest.skip(f"{SCHEMAS}, which has the schemas, is not installed")
    schemas = {one.name: json.loads(one.read_text()) for one in found if one.suffix == ".json"}
    others = [name for name in schemas if name.startswith(("spdx.", "jsf-"))]
    base = "http://cyclonedx.org/schema/"
    registry = jsonschema_rs.Registry([(base + name, schemas[name]) for name in others])
    whole = schemas["bom-1.6.SNAPSHOT.schema.json"]
    validator = jsonschema_rs.Draft7Validator(whole, registry=registry)
    assert [str(error) for error in validator.iter_errors(materials)] == []
    broken = {**materials, "components": [{"type": "library"}]}
    assert not validator.is_valid(broken)
