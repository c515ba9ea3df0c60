"""Pairs as JSON objects, one a line."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dragoman.data.formats.findings import FindingKind, Findings
from dragoman.data.formats.languages import LanguagePair, choose, list_names
from dragoman.data.formats.lines import one_line, read_lines
from dragoman.data.formats.pair import Numbered

KEYS = (("source", "target"), ("src", "tgt"), ("src", "trg"))


def read_json_lines(
    path: Path, *, repair: bool, findings: Findings, wanted: LanguagePair
) -> Iterator[Numbered]:
    """Yield the pair of each object.

    Its keys are source and target, src and tgt, or language codes; they may stand in an object
    under `translation`. Where the languages are not told, an object of two keys is (source, target)
    in the order of the first one.
    """
    keys: tuple[str, str] | None = None
    for number, line in enumerate(read_lines(path, repair=repair, findings=findings), 1):
        if line is None:
            yield number, None, None
            continue
        if not line.strip():
            continue
        try:
            record = _record(line)
            if keys is None or not {*keys} <= record.keys():
                keys = _keys(record, wanted, keys)
            source, target = (one_line(json_text(record[key], "a side")) for key in keys)
            yield number, source, target
        except (ValueError, RecursionError) as error:
            reason = f"{path}:{number}: no pair in this line ({error or 'nested too deep'})."
            findings.refuse(FindingKind.COLUMNS, path, number, reason)


def _record(line: str) -> dict[str, Any]:
    record = json.loads(line)
    if isinstance(record, dict) and isinstance(record.get("translation"), dict):
        record = record["translation"]
    if not isinstance(record, dict):
        raise ValueError('not a JSON object; a line is {"source": ..., "target": ...}')
    return record


def _keys(
    record: dict[str, Any], wanted: LanguagePair, before: tuple[str, str] | None
) -> tuple[str, str]:
    for source, target in KEYS:
        if source in record and target in record:
            return source, target
    ours = choose(wanted.source, record), choose(wanted.target, record)
    if ours[0] is not None and ours[1] is not None and ours[0] != ours[1]:
        return ours[0], ours[1]
    if not wanted.told and before is None and len(record) == 2:
        first, second = record
        return first, second
    raise ValueError(
        f"its keys are {list_names(map(repr, record))}; name two of them as "
        "corpus.source_language and corpus.target_language"
    )


def json_text(value: object, what: str = "a value") -> str:
    """Return a value of JSON that must be text; none is the empty one."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ValueError(f"{what} is of type {type(value).__name__}, not text")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError("half a character: a lone surrogate, which is no text") from None
    return value
