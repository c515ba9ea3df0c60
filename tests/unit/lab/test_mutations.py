"""No verdict is a constant: a sample of the mutations that `make proof` tries on every claim."""

import subprocess
import sys

import pytest

SAMPLE = ("A12", "B22", "C12", "C23", "D17", "D24", "E31", "E45", "E86", "E127", "E145", "E149")


@pytest.mark.slow
def test_some_change_of_the_code_turns_the_verdict_of_each_claim():
    command = [sys.executable, "-m", "tests.mutations", *SAMPLE, "--most", "3"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert f"| **all** | {len(SAMPLE)} |" in done.stdout
    turned = next(line for line in done.stdout.splitlines() if "own form" in line)
    count, whole = (int(word) for word in turned.split() if word.isdigit())
    assert count == whole > 3
