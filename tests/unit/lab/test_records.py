"""The records of claims: what is stored comes back, and what is damaged says so in one line."""

import json
import math
import os
from dataclasses import asdict

import pytest
import torch

from dragoman.core.errors import RunError
from dragoman.lab.claims import NoParameters, claim, measured
from dragoman.lab.evidence import Criterion, Evidence, above, at_most, equal
from dragoman.lab.measured_records import measured_records
from dragoman.lab.records import read_records, record_of, write_records
from dragoman.plots.lab import Bars, HeatMap, Panel, curve


@claim("T1", "A test of records.", "x = x")
def everything(settings: NoParameters) -> Evidence:
    """Have one of each."""
    return Evidence(
        premises=[above("a premise", 2.0, 1.0)],
        stated=[Criterion("not a number", math.nan, "=", 1.0), at_most("infinite", math.inf, 1.0)],
        corrected=[equal("right", 1.0, 1.0 + 1e-12)],
        numbers={"of torch": torch.tensor(3.0), "endless": -math.inf, "said": "NaN"},
        plot=[
            Panel("lines", [curve("a", range(3), torch.arange(3.0), dashed=True)], "place"),
            Bars("bars", ["one", "two"], [[1.0, 2.0], [math.nan]], baseline=0.5),
            HeatMap("cells", torch.eye(2), "across", "down", rows=("x", "y")),
        ],
    )


@pytest.fixture
def record():
    settings = NoParameters()
    return record_of(everything, settings, everything.check(settings), 0.25)


def test_a_record_says_what_the_check_found(record):
    assert (record.id, record.verdict, record.seconds) == ("T1", "corrected", 0.25)
    assert [one.group for one in record.criteria] == ["premises", "stated", "stated", "corrected"]
    assert [one.holds for one in record.criteria] == [True, False, False, True]
    assert set(record.versions) == {"dragoman", "python", "torch"}
    assert record.when.utcoffset().total_seconds() == 0


def test_a_record_comes_back_from_its_file_with_every_number(record, tmp_path):
    write_records(tmp_path / "records.json", {"T1": record})
    read = read_records(tmp_path / "records.json")["T1"]
    assert read.when == record.when
    same = read.model_copy(update={"when": record.when})
    assert repr(same) == repr(record)  # a number that is none equals nothing, but reads the same
    assert math.isnan(read.criteria[1].value)
    assert read.numbers == {"of torch": 3.0, "endless": -math.inf, "said": "NaN"}
    assert [type(panel).__name__ for panel in read.plot] == ["Panel", "Bars", "HeatMap"]
    assert asdict(read.plot[2])["values"] == [[1.0, 0.0], [0.0, 1.0]]


def test_without_a_file_there_are_no_records(tmp_path):
    assert read_records(tmp_path / "records.json") == {}


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", "null", '{"format": "x", "version": 1}', "[" * 100_000, "\0", '"\ud800"',
     '{"format": "dragoman-lab-records", "version": 2, "records": []}',
     '{"format": "dragoman-lab-records", "version": 1, "records": [{"id": "A1"}]}'],
)  # fmt: skip
def test_a_damaged_file_is_an_error_of_one_line(content, tmp_path):
    path = tmp_path / "records.json"
    path.write_bytes(content.encode("utf-8", "surrogatepass"))
    with pytest.raises(RunError, match=r"records\.json: not records that can be read \(") as error:
        read_records(path)
    assert "\n" not in str(error.value)


MEASURED = [
    measured("B1", "One.", experiment="depth"),
    measured("B2", "Two.", experiment="depth"),
    measured("B3", "Three.", experiment="memory"),
]


def result(folder, name, when, **changes):
    tree = {
        "subject": "depth", "size": "quick", "seeds": [1, 2], "seconds": 12.5,
        "versions": [{"dragoman": "0.1", "torch": "2.13", "commit": "abc"}],
        "findings": [{"ledger": ["B1", "B3"], "verdict": "confirmed", "because": "It was so."}],
    }  # fmt: skip
    path = folder / name / "result.json"
    path.parent.mkdir()
    path.write_text(json.dumps({**tree, **changes}), encoding="utf-8")
    os.utime(path, (when, when))


def test_the_finding_of_an_experiment_is_the_record_of_the_claims_it_decides(tmp_path):
    result(tmp_path, "depth-quick", 1000)
    found = measured_records(tmp_path, MEASURED)
    assert set(found) == {"B1"}  # B3 is another experiment's to decide
    record = found["B1"]
    assert (record.verdict, record.seconds, record.finding.because) == (
        "confirmed", 12.5, "It was so.",
    )  # fmt: skip
    assert (record.finding.size, record.finding.seeds) == ("quick", (1, 2))
    assert record.versions == {"dragoman": "0.1", "torch": "2.13"}


def test_a_full_run_outweighs_a_later_quick_one(tmp_path):
    finding = {"ledger": ["B1"], "verdict": "refuted", "because": "It was not."}
    result(tmp_path, "depth-full", 1000, size="full", findings=[finding])
    result(tmp_path, "depth-quick", 2000)
    assert measured_records(tmp_path, MEASURED)["B1"].verdict == "refuted"


def test_results_of_others_are_passed_over_and_damaged_ones_reported(tmp_path):
    result(tmp_path, "other", 1000, subject="a-comparison", findings="anything")
    assert measured_records(tmp_path, MEASURED) == {}
    assert measured_records(tmp_path / "nowhere", MEASURED) == {}
    result(tmp_path, "depth-quick", 1000, findings=[{"ledger": ["B1"]}])
    with pytest.raises(RunError, match=r"result\.json: not a result that can be read \("):
        measured_records(tmp_path, MEASURED)
    told = []
    result(tmp_path, "depth-full", 1000, size="full")
    assert set(measured_records(tmp_path, MEASURED, damaged=told.append)) == {"B1"}
    assert len(told) == 1
