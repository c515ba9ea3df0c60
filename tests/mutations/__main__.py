"""Mutations of the claims: no verdict is a constant.

    python -m tests.mutations                     every exact claim, as a table in Markdown
    python -m tests.mutations A11 K3 --most 4     some of them, with so many mutations each

A mutation changes one expression of a claim's check, or of the product's code that it calls, and
raises nothing. At least one must turn the verdict of every claim. Where the notes are wrong, one
more puts their own form in the place of the right one.
"""

import argparse
import sys
import time

import torch
from tests.mutations.table import describe
from tests.mutations.trial import Tried, try_mutations

from dragoman.lab.catalogue import claims, topics
from dragoman.lab.claims import ExactClaim


def main() -> None:
    """Try mutations and print the table; fail where a claim has none that turns its verdict."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "names", nargs="*", help="ids of claims or of topics; all where none is given"
    )
    parser.add_argument("--most", type=int, default=8, help="mutations of each kind for each claim")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    began = time.perf_counter()
    tried: dict[str, list[Tried]] = {}
    for claim in chosen(arguments.names):
        tried[claim.id] = list(try_mutations(claim, arguments.most))
        killed = sum(one.fate == "killed" for one in tried[claim.id])
        print(f"{claim.id}: {killed} of {len(tried[claim.id])}", file=sys.stderr, flush=True)
    print(describe(tried, time.perf_counter() - began))
    constant = [
        id_ for id_, found in tried.items() if not any(one.fate == "killed" for one in found)
    ]
    if constant:
        sys.exit(f"no mutation turns the verdict of {', '.join(constant)}")


def chosen(names: list[str]) -> list[ExactClaim]:
    """Return the exact claims of some ids and topics."""
    wanted = {
        one.id
        for name in names
        for one in (topics()[name].claims if name in topics() else [claims()[name]])
    }
    every = [one for one in claims().values() if isinstance(one, ExactClaim)]
    return [one for one in every if not names or one.id in wanted]


if __name__ == "__main__":
    main()
