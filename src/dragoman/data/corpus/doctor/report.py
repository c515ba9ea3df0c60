"""The doctor's report: findings for people, for programs, and the verdict."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

from dragoman.data.corpus.doctor.symptoms import Symptom, Treatment

FORMAT, VERSION = "dragoman-check", 1
BY_KEY = {symptom.key: symptom for symptom in Symptom}


@dataclass
class CorpusFinding:
    """One symptom in one file of one set."""

    symptom: Symptom
    treatment: Treatment
    set: str
    """`train`, `valid`, `test` or `extra`."""
    file: Path
    count: int = 0
    lines: list[int] = field(default_factory=list)
    """The first few; line numbers, or entry numbers where a format has no lines."""
    example: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return plain values under stable names."""
        return {
            "finding": self.symptom.key,
            "meaning": self.symptom.words,
            "treatment": self.treatment,
            "set": self.set,
            "file": str(self.file),
            "count": self.count,
            "lines": self.lines,
            "example": self.example,
        }

    @classmethod
    def from_json(cls, record: dict[str, Any]) -> "CorpusFinding":
        """Read back what `to_json` gave."""
        if record["treatment"] not in get_args(Treatment):
            raise ValueError(f"{record['treatment']!r} is no treatment")
        return cls(
            symptom=BY_KEY[record["finding"]],
            treatment=record["treatment"],
            set=str(record["set"]),
            file=Path(record["file"]),
            count=_number(record["count"]),
            lines=[_number(line) for line in record["lines"]],
            example=str(record["example"]),
        )


@dataclass(frozen=True)
class CorpusReport:
    """All findings about a corpus, the gravest first."""

    pairs: dict[str, int]
    """Pairs read from the files of each set."""
    findings: list[CorpusFinding]
    sampled: int
    """Pairs whose languages and scripts were looked at."""

    @property
    def refused(self) -> bool:
        """Whether training would refuse the corpus."""
        return any(finding.treatment == "refuse" for finding in self.findings)

    def lines(self) -> list[str]:
        """Say everything in plain words, one line for each finding."""
        return [
            f"{one.treatment}: {one.symptom.words}: {one.count:,} in {one.set} "
            f"(first at {one.file}:{one.lines[0] if one.lines else 1})"
            + (f": {one.example}" if one.treatment == "refuse" and one.example else "")
            for one in self.findings
        ]

    def to_json(self) -> dict[str, Any]:
        """Return plain values under stable names."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "refused": self.refused,
            "pairs": self.pairs,
            "sampled_for_language": self.sampled,
            "findings": [finding.to_json() for finding in self.findings],
        }

    @classmethod
    def from_json(cls, record: Any) -> "CorpusReport":
        """Read back what `to_json` gave; a ValueError says that it is something else."""
        try:
            if (record["format"], record["version"]) != (FORMAT, VERSION):
                raise ValueError("another format or version")
            return cls(
                pairs={str(name): _number(count) for name, count in record["pairs"].items()},
                findings=[CorpusFinding.from_json(one) for one in record["findings"]],
                sampled=_number(record["sampled_for_language"]),
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"not a report ({error!r})") from error


def together(reports: Sequence[CorpusReport]) -> CorpusReport:
    """Return the reports of several parts of a corpus as one."""
    pairs: Counter[str] = Counter()
    for report in reports:
        pairs.update(report.pairs)
    findings = [finding for report in reports for finding in report.findings]
    return CorpusReport(dict(pairs), findings, sum(report.sampled for report in reports))


def _number(value: Any) -> int:
    if type(value) is not int:
        raise ValueError(f"{value!r} is no number")
    return value
