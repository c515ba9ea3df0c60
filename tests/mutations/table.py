"""The table of mutations, and the list of those that survived."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from tests.mutations.trial import Tried

from dragoman.lab.catalogue import claims, topics
from dragoman.lab.claims import ExactClaim

FATES = ("killed", "survived", "unseen", "raised", "late")


def describe(tried: Mapping[str, Sequence[Tried]], seconds: float) -> str:
    """Return a row for each topic, then the notes' own forms, then the survivors."""
    head = "| topic | claims | " + " | ".join(FATES) + " | turned by none |"
    lines = [head, "|---" * (len(FATES) + 3) + "|"]
    for topic in topics().values():
        ids = [one.id for one in topic.claims if one.id in tried]
        if ids:
            lines.append(_row(topic.title, ids, tried))
    lines.append(_row("**all**", list(tried), tried))
    lines += ["", f"{seconds:.0f} s.", "", _notes_own_forms(list(tried)), "", "## Survivors", ""]
    lines += [
        f"- {one.claim} ({one.place}) `{one.where}`: `{one.change}`"
        for found in tried.values()
        for one in found
        if one.fate == "survived"
    ]
    return "\n".join(lines)


def _row(title: str, ids: Sequence[str], tried: Mapping[str, Sequence[Tried]]) -> str:
    counts = Counter(one.fate for id_ in ids for one in tried[id_])
    none = [id_ for id_ in ids if not any(one.fate == "killed" for one in tried[id_])]
    cells = [title, str(len(ids)), *(str(counts[fate]) for fate in FATES), ", ".join(none) or "–"]
    return f"| {' | '.join(cells)} |"


def _notes_own_forms(ids: Sequence[str]) -> str:
    """Count the verdicts that turn with the notes' own form in the place of the right one."""
    turned, wrong = 0, 0
    for id_ in ids:
        claim = claims()[id_]
        if isinstance(claim, ExactClaim):
            evidence = claim.check(claim.parameters())
            if evidence.verdict == "corrected":
                wrong += 1
                turned += replace(evidence, corrected=evidence.stated).verdict == "refuted"
    return f"The notes' own form in the place of the right one: {turned} of {wrong} verdicts turn."
