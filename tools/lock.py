"""Write the lock files: the SHA-256 of every file that pip chooses here, for `--require-hashes`.

    python tools/lock.py

A lock holds for one version of Python on one platform, and its name says which. Versions are those
of constraints.txt. torch is left out: its builds differ from index to index (with CUDA, for
processors alone), so it is pinned by its version and not by a hash.
"""

import json
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
EXTRAS = ("serve", "dev")
UNLOCKED = {"torch", "dragoman"}
"""torch and what comes with its builds for graphics cards, and the package itself."""


def tag() -> str:
    """Return the name of this Python and platform."""
    return f"cp{sys.version_info[0]}{sys.version_info[1]}-{sys.platform}-{platform.machine()}"


def chosen_files(extra: str) -> list[dict]:
    """Return what pip would install for an extra, were nothing there yet."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        options = ("--dry-run", "--quiet", "--ignore-installed", "--constraint", "constraints.txt")
        command = [sys.executable, "-m", "pip", "install", *options, "--report", str(report)]
        subprocess.run([*command, f".[{extra}]"], cwd=ROOT, check=True)
        return json.loads(report.read_text(encoding="utf-8"))["install"]


def lock_lines(files: list[dict]) -> list[str]:
    """Return a line for each file: name, version and hash."""
    found = []
    for one in files:
        name, version = one["metadata"]["name"], one["metadata"]["version"]
        if name.lower() not in UNLOCKED and not name.startswith(("nvidia-", "triton")):
            digest = one["download_info"]["archive_info"]["hashes"]["sha256"]
            found.append(f"{name}=={version} --hash=sha256:{digest}")
    return sorted(found, key=str.lower)


def main() -> None:
    """Write the locks of this Python and platform."""
    for extra in EXTRAS:
        path = ROOT / "locks" / f"{extra}-{tag()}.txt"
        path.parent.mkdir(exist_ok=True)
        lines = lock_lines(chosen_files(extra))
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        print(f"{path.relative_to(ROOT)}: {len(lines)} packages")


if __name__ == "__main__":
    main()
