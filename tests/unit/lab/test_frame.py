"""The frame of the lab, with an experiment so small that it is measured at once."""

import hashlib
import json
import re
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from types import ModuleType

import pytest
from scipy import stats

from dragoman.config.encoder import EncoderSettings
from dragoman.config.recurrent_text import RecurrentClassifierSettings
from dragoman.config.settings import Settings
from dragoman.core.console import say
from dragoman.core.errors import ConfigError, RunError
from dragoman.core.lock import only_process
from dragoman.lab import catalogue
from dragoman.lab.catalogue import experiments, find_experiment
from dragoman.lab.experiment import Experiment, Result, ResultTable
from dragoman.lab.experiments.pretraining_domain.experiment import PretrainingSource
from dragoman.lab.hypotheses import ClaimVerdict, ExperimentHypothesis
from dragoman.lab.run import read_options, run_experiment
from dragoman.lab.runner import TrialRunner
from dragoman.lab.spread import difference, spread
from dragoman.lab.trial import ModelTrial
from dragoman.plots.lab import Panel, PlotLine, by_place, draw_panels
from dragoman.trials.trial import Trial

SAID = ExperimentHypothesis(("Z1",), "squares grow faster than their roots.")


class SquareTrial(Trial):
    root: int
    seed: int


class Squares(Settings):
    highest: int = 3
    """The largest root."""
    one_more: bool = False
    """Add one to each square."""


class KilledError(Exception):
    pass


def squares(log, *, kill_at=None, version=1):
    """Give an experiment that notes in `log` what it measures, and may be killed in between."""

    def measure_trial(trial, place):
        if trial.root == kill_at:
            (place / "half").write_text("done")
            raise KilledError
        log.append((trial.root, trial.seed, (place / "half").is_file()))
        return {"square": trial.root**2}

    def measure(runner, options):
        trials = [
            SquareTrial(root=n, seed=s) for s in runner.seeds for n in range(1, options.highest + 1)
        ]
        results = runner.run(trials, measure_trial, version=version)
        growing = all(one["square"] >= one["root"] for one in results)
        table = ResultTable("Squares", ("root", "square"), [("1", "1"), ("12", "144")], "A note.")
        found = ClaimVerdict(SAID, "confirmed" if growing else "refuted", "They do.")
        return Result(results, [found], [table], {"sum": sum(one["square"] for one in results)})

    def draw(result, path):
        line = PlotLine("squares", [1.0, 2.0], [[1.0, 1.0], [3.9, 4.1]])
        draw_panels([Panel("squares", [line], "root")], path, "Squares")

    return Experiment("squares", "Squares", (SAID,), Squares, measure, draw)


def test_a_run_leaves_its_result_its_table_and_its_picture(tmp_path):
    result = run_experiment(squares([]), "quick", tmp_path / "here")
    told = json.loads((tmp_path / "here/result.json").read_text("utf-8"))
    assert told["subject"] == "squares"
    assert (told["size"], told["seeds"], told["ledger"]) == ("quick", [1], ["Z1"])
    assert told["options"] == {"highest": 3, "one_more": False}
    assert [one["square"] for one in told["rows"]] == [1, 4, 9]
    assert told["rows"][0] == {
        "root": 1,
        "seed": 1,
        "square": 1,
        "seconds": pytest.approx(0, abs=5),
    }
    assert told["summary"] == {"sum": 14} == result.summary
    (finding,) = told["findings"]
    assert (finding["verdict"], finding["because"]) == ("confirmed", "They do.")
    assert {"dragoman", "torch", "python", "threads"} <= set(told["versions"][0])
    assert told["seconds"] >= 0
    table = (tmp_path / "here/table.md").read_text("utf-8")
    assert "| root | square |\n| ---- | -----: |\n| 1    |      1 |\n| 12   |    144 |" in table
    assert "**Z1: confirmed.** The notes say that squares grow" in table
    assert (tmp_path / "here/picture.png").read_bytes().startswith(b"\x89PNG")
    assert not any((tmp_path / "here/work").iterdir())


def test_a_full_run_takes_every_seed_and_asked_seeds_come_first(tmp_path):
    log = []
    run_experiment(squares(log), "full", tmp_path)
    assert {seed for _, seed, _ in log} == {1, 2, 3}
    log.clear()
    run_experiment(squares(log), "quick", tmp_path, seeds=(3, 7))
    assert {seed for _, seed, _ in log} == {7}  # the rows of seed 3 are there already


@pytest.mark.parametrize("at_once", [1, 2])
def test_a_trial_speaks_into_a_file_that_goes_when_it_is_done(tmp_path, capsys, at_once):
    def measure_trial(trial, place):
        say("step 1: loss 3")
        log = place.with_name(f"{place.name}.log")
        return {"log": log.read_text(encoding="utf-8")}

    trials = [SquareTrial(root=root, seed=1) for root in (2, 3)]
    runner = TrialRunner(tmp_path, "squares", "quick", [1], at_once=at_once)
    assert [one["log"] for one in runner.run(trials, measure_trial)] == ["step 1: loss 3\n"] * 2
    said = capsys.readouterr().err.splitlines()
    assert [line.split(":")[0] for line in said] == ["1 of 2", "2 of 2"]
    assert list((tmp_path / "work").iterdir()) == []


def test_a_trial_that_fails_leaves_what_it_said_and_verbose_shows_it(tmp_path, capsys):
    def measure_trial(trial, place):
        say("step 1: loss 3")
        raise KilledError

    trials = [SquareTrial(root=2, seed=1)]
    with pytest.raises(KilledError):
        TrialRunner(tmp_path, "squares", "quick", [1]).run(trials, measure_trial)
    (log,) = (tmp_path / "work").glob("*.log")
    assert log.read_text() == "step 1: loss 3\n"
    assert "loss" not in capsys.readouterr().err
    with pytest.raises(KilledError):
        TrialRunner(tmp_path, "squares", "quick", [1], verbose=True).run(trials, measure_trial)
    assert "step 1: loss 3\n" in capsys.readouterr().err


def test_what_was_measured_before_a_kill_is_not_measured_again(tmp_path):
    log = []
    with pytest.raises(KilledError):
        run_experiment(squares(log, kill_at=3), "quick", tmp_path)
    assert log == [(1, 1, False), (2, 1, False)]
    assert not (tmp_path / "result.json").exists()
    log.clear()
    run_experiment(squares(log), "quick", tmp_path)
    assert log == [(3, 1, True)]  # and what the killed unit had stored is there


def test_a_result_belongs_to_its_exact_settings_and_version(tmp_path):
    log = []
    run_experiment(squares(log), "quick", tmp_path)
    run_experiment(squares(log), "quick", tmp_path, options={"highest": "4"})
    assert [root for root, _, _ in log] == [1, 2, 3, 4]
    run_experiment(squares(log, version=2), "quick", tmp_path)
    assert [root for root, _, _ in log] == [1, 2, 3, 4, 1, 2, 3]


def test_a_damaged_result_is_measured_again(tmp_path):
    log = []
    run_experiment(squares(log), "quick", tmp_path)
    first, second, _ = sorted((tmp_path / "rows").iterdir())
    first.write_text('{"settings": {}, "measu')
    second.write_text("[]")
    run_experiment(squares(log), "quick", tmp_path)
    assert len(log) == 5
    assert len(json.loads((tmp_path / "result.json").read_text("utf-8"))["rows"]) == 3


class CellTrial(ModelTrial):
    model: RecurrentClassifierSettings
    pretraining: PretrainingSource


def test_a_result_that_was_stored_before_settings_were_renamed_is_found(tmp_path):
    source = PretrainingSource(
        name="films",
        texts="x",
        network=EncoderSettings(norm="pre"),
        steps=1,
        tokens=2,
    )
    trial = CellTrial(name="cell", seed=1, model=RecurrentClassifierSettings(), pretraining=source)
    runner = TrialRunner(tmp_path, "cells", "quick", (1,))
    runner.run([trial], lambda trial, place: {"square": 4})
    (path,) = (tmp_path / "rows").iterdir()
    stored = json.loads(path.read_text("utf-8"))
    network, model = stored["settings"]["pretraining"]["network"], stored["settings"]["model"]
    model["word_width"] = model.pop("embedding_width")
    network |= {"inner_width": network.pop("ffn_width"), "norm": "before"}
    told = {"subject": "cells", "version": 1, "settings": stored["settings"]}
    text = json.dumps(told, sort_keys=True, ensure_ascii=False).encode("utf-8")
    path.unlink()
    former = path.with_stem(hashlib.sha256(text).hexdigest()[:16])
    former.write_text(json.dumps(stored), "utf-8")
    again = TrialRunner(tmp_path, "cells", "quick", (1,))
    (found,) = again.run([trial], lambda trial, place: {"square": 5})
    assert found["square"] == 4
    assert found["model"] == trial.model.model_dump(mode="json")
    assert found["pretraining"]["network"]["norm"] == "pre"


def test_results_survive_a_process_that_is_killed(tmp_path):
    code = f"""
import os, signal
from pathlib import Path
from dragoman.trials.trial import Trial
from dragoman.lab.runner import TrialRunner
class SquareTrial(Trial):
    root: int
def measure(trial, place):
    if trial.root == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return {{"square": trial.root ** 2}}
TrialRunner(Path({str(tmp_path)!r}), "s", "quick", (1,)).run(
    [SquareTrial(root=1), SquareTrial(root=2)], measure)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL

    class SquareTrial(Trial):
        root: int

    log = []

    def measure(trial, place):
        log.append(trial.root)
        return {"square": trial.root**2}

    runner = TrialRunner(tmp_path, "s", "quick", (1,))
    results = runner.run([SquareTrial(root=1), SquareTrial(root=2)], measure)
    assert log == [2]
    assert [result["square"] for result in results] == [1, 4]


def test_two_processes_do_not_measure_in_one_folder(tmp_path):
    with only_process(tmp_path), pytest.raises(RunError, match="another process"):
        run_experiment(squares([]), "quick", tmp_path)


def test_options_are_typed_and_a_wrong_one_is_named():
    experiment = squares([])
    assert read_options(
        experiment.name, experiment.options, {"highest": "5", "one-more": "true"}
    ) == Squares(highest=5, one_more=True)
    with pytest.raises(ConfigError, match=r"--higest: squares has no such .* mean 'highest'"):
        read_options(experiment.name, experiment.options, {"higest": "5"})
    with pytest.raises(ConfigError, match="--highest many: .*integer"):
        read_options(experiment.name, experiment.options, {"highest": "many"})


@pytest.fixture
def dragoman(dragoman):
    """Give the command's lab as a function."""
    return partial(dragoman, "lab")


@pytest.fixture
def _squares_in_the_catalogue(monkeypatch):
    """Drop a folder into that of the experiments, or as good as."""
    module = ModuleType("dragoman.lab.experiments.squares.experiment")
    module.EXPERIMENT = squares([])
    monkeypatch.setitem(sys.modules, module.__name__, module)
    places, modules = catalogue.dragoman.lab.experiments.__path__, catalogue.iter_modules

    def with_squares(path):
        found = list(modules(path))
        return [*found, found[0]._replace(name="squares")] if path is places else found

    monkeypatch.setattr(catalogue, "iter_modules", with_squares)


@pytest.mark.usefixtures("_squares_in_the_catalogue")
def test_a_file_among_the_experiments_is_listed_told_and_run(dragoman, tmp_path):
    code, out, _ = dragoman("list")
    assert code == 0
    assert re.search(r"^  squares +Squares \(Z1\)$", out, re.MULTILINE)
    code, out, _ = dragoman("show", "squares")
    assert "Z1: squares grow faster" in out
    assert "--highest HIGHEST  The largest root." in out
    code, out, err = dragoman(
        "run", "squares", "--seeds", "4,5", "--output", tmp_path, "--highest", 2, "--one-more=true"
    )
    assert code == 0, err
    assert "| 12   |    144 |" in out
    told = json.loads((tmp_path / "squares-quick/result.json").read_text("utf-8"))
    assert told["seeds"] == [4, 5]
    assert told["options"] == {"highest": 2, "one_more": True}


@pytest.mark.usefixtures("_squares_in_the_catalogue")
@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        (["run", "sqares"], "Did you mean 'squares'?"),
        (["show", "pig-latn"], "Did you mean 'pig-latin'?"),
        (["run", "squares", "--higest", "2"], "Did you mean 'highest'?"),
        (["run", "squares", "--highest"], "has no value"),
        (["run", "squares", "more"], "no claim, topic or experiment"),
        (["run", "squares", "--seeds", "1,two"], "are not seeds"),
        (["run", "squares", "--seeds", "99999999999"], "are not seeds"),
        (["run", "squares", "--seeds", "1,1"], "a seed twice"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_two(
    dragoman, tmp_path, monkeypatch, arguments, answer
):
    monkeypatch.chdir(tmp_path)
    code, _, err = dragoman(*arguments)
    assert code == 2
    assert answer in err
    assert len(err.splitlines()) == 1


def test_every_experiment_says_what_it_covers():
    found = experiments()
    assert {"length", "pig-latin"} <= set(found)
    for name, experiment in found.items():
        assert find_experiment(name) is experiment
        assert experiment.hypotheses
        covered = {row for one in experiment.hypotheses for row in one.ids}
        assert covered <= set(experiment.ids)
        assert len(experiment.seeds_for("full")) >= 3
        assert len(experiment.seeds_for("quick")) <= len(experiment.seeds_for("full"))


def test_the_interval_is_students():
    values = [0.3, 0.5, 0.9]
    low, high = stats.t.interval(0.95, 2, spread(values).mean, stats.sem(values))
    found = spread(values)
    assert found.mean - found.margin == pytest.approx(low, abs=1e-3)
    assert found.mean + found.margin == pytest.approx(high, abs=1e-3)


@pytest.mark.parametrize("bound", [0.2, 0.3, 0.5, 1.0])
def test_sameness_is_shown_by_two_one_sided_tests(bound):
    values = [0.1, -0.2, 0.3, 0.0, 0.15]
    below, above = (
        stats.ttest_1samp(values, -bound, alternative="greater").pvalue,
        stats.ttest_1samp(values, bound, alternative="less").pvalue,
    )
    assert spread(values).is_within(bound) == (max(below, above) < 0.05)
    assert not spread([0.0]).is_within(bound)


def test_a_side_is_taken_only_by_the_whole_interval():
    assert difference([3.0, 3.1, 3.2], [1.0, 1.0, 1.1]).side_of(0.0) == "above"
    assert difference([1.0, 1.0, 1.1], [3.0, 3.1, 3.2]).side_of(0.0) == "below"
    assert difference([3.0, 0.0, 3.2], [1.0, 1.0, 1.1]).side_of(0.0) == "unclear"
    assert spread([5.0]).side_of(0.0) == "unclear"
    assert "one seed" in spread([5.0]).interval()


def test_curves_of_unequal_length_are_drawn_as_far_as_each_goes(tmp_path):
    assert by_place([[1.0, 2.0], [3.0]]) == [[1.0, 3.0], [2.0]]
    panels = [Panel("p", [PlotLine("a", [1.0, 2.0], [[1.0, 3.0], [2.0]])], "x", 0.0)] * 3
    draw_panels(panels, Path(tmp_path / "three.png"), "Three")
    assert (tmp_path / "three.png").stat().st_size > 1000
