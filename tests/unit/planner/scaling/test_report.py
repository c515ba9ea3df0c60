"""Tables, record, plots and page of a scaling study, and the command that makes them."""

import json
import re
from functools import partial

import pytest
from tests.conftest import write_recipe
from tests.unit.planner.scaling.synthetic import CHINCHILLA, SYMMETRIC, study

from dragoman.core.errors import ConfigError, DataError
from dragoman.planner.scaling.laws import fit_scaling_laws
from dragoman.planner.sweep import study as scaling_studies
from dragoman.planner.sweep.plot import scaling_plot
from dragoman.planner.sweep.report import (
    NAMES,
    count_text,
    markdown,
    record,
    tables,
    write_report,
)
from dragoman.planner.sweep.study import SweepOptions, scaling_study
from dragoman.planner.sweep.sweep import SweepResult
from dragoman.plots.scaling import ProfileCurve, ScalingPlot, draw_scaling


def curves_of(points):
    found = {}
    for point in points:
        found.setdefault(point.parameters, []).append([(point.flops, point.loss)])
    return found


@pytest.fixture(scope="module")
def laws():
    return fit_scaling_laws(study(CHINCHILLA, noise=0.004, seeds=2), law_replicates=5)


@pytest.fixture(scope="module")
def written(laws, tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    plot = scaling_plot(laws, curves_of(laws.points), "Scaling <of> this", "all", furthest=1e23)
    write_report(folder, plot, laws, [laws.at(1e23)], ["A note."])
    return folder


def test_the_report_is_a_page_a_record_and_two_plots(written):
    assert sorted(path.name for path in written.iterdir()) == sorted(NAMES)
    assert (written / "scaling.png").read_bytes().startswith(b"\x89PNG")


def test_the_page_is_self_contained_and_runs_nothing(written):
    page = (written / "scaling.html").read_text("utf-8")
    assert "Scaling &lt;of&gt; this" in page
    assert "<script" not in page
    assert "default-src 'none'" in page
    assert set(re.findall(r'(?:src|href)="([^:"]*):', page)) == {"data"}
    assert "Compute-optimal sizes" in page


def test_the_table_shows_parabolas_and_law_and_how_far_they_are_apart(laws):
    shown = markdown("T", "about", tables(laws, [laws.at(1e23)]), ["A note."])
    assert "| budget (FLOPs) | sizes |" in shown
    assert "N*(C), parabolas, exponent" in shown
    assert "parametric law, alpha" in shown
    assert "extrapolates by 3.0 orders of magnitude" in shown
    assert re.search(r"the parabolas' N\* is [01]\.\d\d times as large", shown)
    assert len({len(line) for line in shown.splitlines() if line.startswith("| 1e+")}) <= 2


def test_the_record_is_plain_json_in_plain_units(laws):
    found = json.loads(json.dumps(record(laws, [laws.at(1e23)])))
    assert found["format"] == "dragoman-scaling"
    assert found["parameters"]["exponent"] == laws.parameters.law.exponent
    assert found["proposals"][0]["orders_of_extrapolation"] == pytest.approx(3.0)
    low, high = found["proposals"][0]["parameters_interval"]
    assert low < found["proposals"][0]["parameters"] < high
    assert len(found["points"]) == len(laws.points)
    assert "log" not in json.dumps(found)


def test_a_study_without_a_line_is_told_and_drawn_all_the_same(tmp_path):
    laws = fit_scaling_laws(study(CHINCHILLA, factors=(2, 3, 4, 6)), law_replicates=2)
    plot = scaling_plot(laws, curves_of(laws.points), "None", "about", furthest=1e23)
    assert plot.lines == []
    found = write_report(tmp_path, plot, laws, [], laws.refusals)
    assert found["parameters"] is None
    text = (tmp_path / "scaling.md").read_text("utf-8")
    assert "| none |" in re.sub(" +", " ", text)
    assert "has no interior minimum" in text


def test_lines_are_not_drawn_beyond_what_may_be_extrapolated(laws):
    whole = scaling_plot(laws, {}, "t", "a", furthest=1e23)
    assert whole.lines[0].band[-1].flops == pytest.approx(1e23)
    logarithm = scaling_plot(laws, {}, "t", "a", furthest=23.0)
    assert logarithm.lines[0].band[-1].flops == pytest.approx(1e20)


def test_nothing_to_plot_is_told(tmp_path):
    plot = ScalingPlot("t", "a", [], [ProfileCurve(1e10, [])], [])
    with pytest.raises(DataError, match="there is nothing to plot; no trial is finished"):
        draw_scaling(plot, tmp_path / "x.png")


def test_counts_are_written_for_people():
    assert [count_text(one) for one in (4862, 999_999, 1.94e6)] == ["4,862", "999,999", "1.94e+06"]


@pytest.fixture
def swept(monkeypatch):
    """Let the sweep of any recipe give the points of a known law; return its design."""
    seen = []

    def sweep(runner, design):
        seen.append(design)
        points = study(SYMMETRIC, noise=0.003, seeds=2)
        return SweepResult(tuple(points), 1e21, curves_of(points))

    monkeypatch.setattr(scaling_studies, "run_sweep", sweep)
    fewer = partial(fit_scaling_laws, replicates=50, law_replicates=5)
    monkeypatch.setattr(scaling_studies, "fit_scaling_laws", fewer)
    return seen


def test_the_command_prints_the_table_and_writes_the_files(swept, dragoman, tmp_path):
    recipe = write_recipe(tmp_path)
    out = tmp_path / "out"
    code, printed, told = dragoman("plan", "scaling", recipe, "seed=4", "--output", out)
    assert code == 0, told
    assert "# Scaling of tiny" in printed
    assert "| 1e+21" in printed  # the recipe's own training
    assert "scaling.md, scaling.json, scaling.png and scaling.html are in" in told
    (design,) = swept
    assert design.recipe.seed == 4
    assert [one.model.width for one in design.sizes] == [4, 8, 12, 16, 24]


def test_the_command_prints_json(swept, dragoman, tmp_path):
    recipe = write_recipe(tmp_path)
    code, printed, _ = dragoman(
        "plan", "scaling", recipe, "--json", "--at", "1e22,1e23", "--output", tmp_path / "out",
        "--widths", "8,16", "--size", "model.width=32 model.decoder_layers=2",
        "--budgets", "1e9,2e9", "--seeds", "1,2",
    )  # fmt: skip
    assert code == 0
    assert [one["flops"] for one in json.loads(printed)["proposals"]] == [1e22, 1e23]
    (design,) = swept
    assert design.budgets == (1e9, 2e9)
    assert design.seeds == (1, 2)
    assert [one.model.decoder_layers for one in design.sizes] == [1, 1, 2]


def test_a_budget_that_nothing_can_be_said_about_is_exit_code_two(swept, dragoman, tmp_path):
    recipe = write_recipe(tmp_path)
    code, printed, told = dragoman(
        "plan", "scaling", recipe, "--at", "15", "--output", tmp_path / "out"
    )
    assert code == 2
    assert "# Scaling of tiny" in printed
    assert "write the FLOPs themselves, as in 1e15" in told


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        (["--budgets", "much"], "--budgets much: are not numbers of FLOPs"),
        (["--budgets", "1e9,1e9"], "are not numbers of FLOPs"),
        (["--at", "nan"], "--at nan: are not numbers of FLOPs"),
        (["--widths", "8,x"], "--widths 8,x: are not widths"),
        (["--seeds", "1,1"], "names a seed twice"),
    ],
)
def test_a_mistake_is_one_line(dragoman, tmp_path, arguments, answer):
    recipe = write_recipe(tmp_path)
    code, _, told = dragoman("plan", "scaling", recipe, *arguments)
    assert code == 2
    assert answer in told
    assert len(told.splitlines()) == 1


def test_a_model_without_a_width_is_told_to_name_its_sizes(tmp_path):
    with pytest.raises(ConfigError, match="has no width to change. Give each size with --size"):
        scaling_study("arithmetic-cnn", [], SweepOptions(), folder=tmp_path)
