"""`dragoman lab`: claims listed, shown and run, with a teacher's own topic in one file."""

import json
from functools import partial

import pytest

TOPIC = '''
import torch
from pydantic import Field
from dragoman.config.settings import Settings
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Evidence, same
from dragoman.lab.topic import Section, Topic
from dragoman.plots.lab import Panel, curve

class PointSettings(Settings):
    x: float = Field(default=3.0, ge=-10, le=10)
    """Where the slope is taken."""

@claim("Z1", "The slope of $x^2$ is *twice* $x$.", r"\\frac{d x^2}{d x} = 2 x")
def slope(settings: PointSettings) -> Evidence:
    x = torch.tensor(settings.x, dtype=torch.float64, requires_grad=True)
    (found,) = torch.autograd.grad(x**2, x)
    line = curve("slope", [0.0, 1.0], [0.0, 2.0])
    plot = [Panel("slope", [line], "x")]
    return Evidence(stated=[same("difference from 2 x", found, 2 * x)], plot=plot)

@claim("Z2", "The slope of $x^3$ is $3 x^2$.", "3 x^2", notes="it is $3 x$.")
def cube(settings: PointSettings) -> Evidence:
    x = torch.tensor(settings.x, dtype=torch.float64, requires_grad=True)
    (found,) = torch.autograd.grad(x**3, x)
    return Evidence(
        stated=[same("difference from 3 x", found, 3 * x)],
        corrected=[same("difference from 3 x^2", found, 3 * x**2)],
        numbers={"slope": found},
    )

POWERS = Section("", "Powers have slopes.", [slope, cube])
TOPIC = Topic("Z", "powers", "Powers", "Of slopes.", [POWERS])
'''


@pytest.fixture
def lab(dragoman, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "powers.py").write_text(TOPIC)
    return partial(dragoman, "lab")


def test_a_teacher_s_topic_is_one_file(lab, tmp_path):
    code, out, err = lab("run", "powers.py")
    assert code == 0, err
    assert "Z1: The slope of x² is twice x." in out
    assert "Verdict: confirmed" in out
    assert "The notes say that it is 3x." in out
    assert "FAILS  difference from 3 x: 18 ≤ 10⁻¹⁰" in out
    assert "holds  difference from 3 x^2: 0 ≤ 10⁻¹⁰" in out
    assert "slope: 27" in out
    assert "Verdict: corrected" in out
    stored = json.loads((tmp_path / "lab/claims.json").read_text("utf-8"))
    assert [one["verdict"] for one in stored["records"]] == ["confirmed", "corrected"]
    assert (tmp_path / "lab/plots/Z1.png").read_bytes().startswith(b"\x89PNG")


def test_a_claim_of_a_file_can_be_named_beside_it(lab):
    code, out, err = lab("run", "powers.py", "Z2", "--x", "2")
    assert code == 0, err
    assert "Z1" not in out
    assert "slope: 12" in out
    assert "dragoman lab run powers.py Z2 --x 2.0" in out


def test_a_claim_takes_its_parameters_as_options_and_is_then_not_kept(lab, tmp_path):
    code, out, err = lab("run", "E101", "--length", "7")
    assert code == 0, err
    assert "--length 7" in out
    assert not (tmp_path / "lab/claims.json").exists()


def test_show_prints_statement_equation_numbers_and_verdict(lab):
    code, out, _ = lab("show", "E101")
    assert code == 0
    assert out.startswith("E101: The Hadamard product")
    assert "(a ⊙ b)" in out
    assert "\n  holds  " in out
    assert "Verdict: confirmed" in out


def test_without_a_command_the_topics_are_listed_with_their_verdicts(lab):
    lab("run", "E101")
    for arguments in ([], ["list"]):
        code, out, _ = lab(*arguments)
        assert code == 0
        row = next(line for line in out.splitlines() if line.startswith("K1 "))
        assert row.split()[:2] == ["K1", "matrix-calculus"]
        assert "memory" in out


def test_a_topic_is_shown_with_a_line_for_each_claim(lab):
    code, out, _ = lab("show", "K1")
    assert code == 0
    assert out.startswith("K1 matrix-calculus: Matrix calculus")
    assert any(line.split()[:1] == ["E101"] for line in out.splitlines())


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        (["run"], "Nothing is named"),
        (["run", "--all", "E101"], "exclude each other"),
        (["run", "--exact", "--full", "E101"], "exclude each other"),
        (
            ["run", "E101", "--length", "0"],
            "--length 0: Input should be greater than or equal to 1",
        ),
        (["run", "E101", "--lenght", "3"], "Did you mean 'length'?"),
        (["run", "E101", "B22", "--length", "3"], "name a single one"),
        (["run", "gradient-flaw"], "Did you mean 'gradient-flow'?"),
        (["show", "E1010"], "the lab has no claim, topic or experiment of this name"),
        (["run", "absent.py"], "absent.py: there is no such file"),
        (["run", "broken.py"], "broken.py: cannot be run (SyntaxError"),
        (["run", "empty.py"], "empty.py: has no TOPIC"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_two(lab, tmp_path, arguments, answer):
    (tmp_path / "broken.py").write_text("def (")
    (tmp_path / "empty.py").write_text("x = 1\n")
    code, _, err = lab(*arguments)
    assert code == 2
    assert answer in err
    assert len(err.splitlines()) == 1


def test_damaged_records_are_told_in_one_line(lab, tmp_path):
    (tmp_path / "lab").mkdir()
    (tmp_path / "lab/claims.json").write_text("{")
    code, _, err = lab("list")
    assert code == 2
    assert "claims.json: not records that can be read" in err
    assert len(err.splitlines()) == 1


@pytest.mark.slow
def test_every_exact_claim_is_run_in_at_most_three_minutes(lab):
    code, out, err = lab("run", "--all", "--exact")
    assert code == 0, err
    last = out.splitlines()[-1]
    assert "claims: " in last
    assert float(last.rpartition("; ")[2].removesuffix(" s")) <= 180
