"""The verb `compare`, with real runs of two tiny recipes."""

import json
import re
import shutil
import signal
from io import StringIO
from itertools import islice
from statistics import fmean, stdev
from types import SimpleNamespace

import pytest
from PIL import Image
from rich.console import Console
from typer.testing import CliRunner

from dragoman.cli import main as command
from dragoman.config.reading import read_recipe
from dragoman.core.errors import RunError
from dragoman.data.batching.store import TokenStore
from dragoman.data.batching.stream import BatchStream, Position
from dragoman.data.corpus.held_out import load_held_out
from dragoman.data.tokenizer.pair import TokenizerPair
from dragoman.engine.checkpoint.metrics_log import read_log
from dragoman.engine.training.diagnosis import Diagnosis
from dragoman.lab import comparison
from dragoman.lab.budget import Budget
from dragoman.lab.tables import rich_tables

TOKENS = 700
QUICK = ["training.log_every=2", "decoding.beam=1"]


def write_entrants(tiny, folder):
    """Write the tiny recipe twice, once wider and in larger batches, beside one corpus."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(tiny.recipe.parent / "corpus.tsv", folder)
    text = tiny.recipe.read_text()
    (folder / "small.toml").write_text(text.replace('"tiny"', '"small"'))
    wider = text.replace('"tiny"', '"wider"').replace("\nwidth = 16", "\nwidth = 24")
    (folder / "wider.toml").write_text(wider.replace("tokens = 128", "tokens = 200"))
    return [str(folder / "small.toml"), str(folder / "wider.toml")]


@pytest.fixture(scope="module")
def done(tiny, tmp_path_factory):
    """Compare two recipes by tokens with two seeds, once; do not change anything in it."""
    folder = tmp_path_factory.mktemp("compared")
    recipes = write_entrants(tiny, folder)
    asked = ["compare", *recipes, *QUICK, "--tokens", str(TOKENS), "--seeds", "1,2"]
    asked += ["--output", str(folder / "out")]
    result = CliRunner().invoke(command.app, asked)
    assert result.exit_code == 0, result.output
    return SimpleNamespace(
        asked=asked, recipes=recipes, out=folder / "out", stdout=result.stdout, said=result.stderr
    )


def refused(answer):
    """Check that a command left with one line and exit code 2; return the line."""
    code, out, err = answer
    assert (code, out) == (2, "")
    (line,) = err.splitlines()
    return line


def runs_of(out):
    return sorted((out / "runs").iterdir())


def tables_of(page):
    """Read the tables of a Markdown page back: for each, its rows as dictionaries."""
    found = []
    for block in re.findall(r"(?:^\|.*\n)+", page, re.MULTILINE):
        head, _, *rows = [
            [cell.strip() for cell in line.strip("| ").split("|")] for line in block.splitlines()
        ]
        found.append([dict(zip(head, row, strict=True)) for row in rows])
    return found


def test_each_recipe_and_seed_is_an_ordinary_run(done):
    names = ["small-seed-1", "small-seed-2", "wider-seed-1", "wider-seed-2"]
    assert [run.name for run in runs_of(done.out)] == names
    for run in runs_of(done.out):
        recipe = read_recipe(run / "recipe.toml")
        assert run.name == f"{recipe.name}-seed-{recipe.seed}"
        assert (run / "model.safetensors").is_file()


def test_all_hold_out_the_same_pairs(done):
    held_out = [load_held_out(run / "data") for run in runs_of(done.out)]
    assert all(one.tests == held_out[0].tests for one in held_out)
    assert all(one.valid == held_out[0].valid for one in held_out)


def test_the_last_step_is_the_one_that_reaches_the_tokens(done):
    for run in runs_of(done.out):
        recipe = read_recipe(run / "recipe.toml")
        store = TokenStore.open(run / "data", "train")
        stream = BatchStream(store, recipe.batches, recipe.seed).at(Position())
        counts = [batch.target_count for batch, _ in islice(stream, recipe.training.steps)]
        stream.close()
        assert sum(counts) >= TOKENS > sum(counts[:-1])
    steps = [read_recipe(run / "recipe.toml").training.steps for run in runs_of(done.out)]
    assert min(steps[:2]) > max(steps[2:])  # larger batches, fewer steps


def test_what_was_set_is_said(done):
    said = [line for line in done.said.splitlines() if line.startswith("run ")]
    assert len(said) == 4
    for line, run in zip(sorted(said, key=lambda line: line[9:]), runs_of(done.out), strict=True):
        recipe = read_recipe(run / "recipe.toml")
        assert f"{recipe.name}, seed {recipe.seed}: {recipe.training.steps} steps" in line
        assert f"warm-up {recipe.schedule.warmup_steps}" in line
    assert "run 4 of 4" in said[-1]
    assert "left in all" in said[-1]


def test_the_table_is_alone_on_stdout(done):
    assert done.stdout == (done.out / "comparison.md").read_text(encoding="utf-8")


def test_the_table_agrees_with_the_scores_of_the_runs(done):
    main, by_length = tables_of(done.stdout)
    assert [row["recipe"] for row in main] == ["small", "wider"]
    for row in main:
        runs = [run for run in runs_of(done.out) if run.name.startswith(row["recipe"])]
        scores = [json.loads((run / "scores.json").read_bytes())["test"] for run in runs]
        for column, name in (("BLEU", "bleu"), ("chrF", "chrf")):
            values = [one["scores"][name]["value"] for one in scores]
            assert row[column] == f"{fmean(values):.2f} ± {stdev(values):.2f}"
        exact = [one["exact"] for one in scores]
        assert row["exact match %"] == f"{fmean(exact):.1f} ± {stdev(exact):.1f}"
        assert row["alignment error %"] == "–"
        short = [one["by_length"][0]["bleu"] for one in scores]
        (lengths,) = (line for line in by_length if line["recipe"] == row["recipe"])
        assert lengths["≤ 5"] == f"{fmean(short):.1f} ± {stdev(short):.1f}"
        assert scores[0]["scores"]["bleu"]["signature"] in done.stdout


def test_the_record_agrees_with_the_runs(done):
    record = json.loads((done.out / "comparison.json").read_bytes())
    assert record["budget"] == {"kind": "tokens", "amount": TOKENS}
    assert record["seeds"] == [1, 2]
    for row in record["rows"]:
        for run in row["runs"]:
            folder = done.out / "runs" / run["folder"]
            assert run["tests"] == json.loads((folder / "scores.json").read_bytes())
            log = read_log(folder / "metrics.jsonl")
            losses = {line["step"]: line["loss"] for line in log if line["kind"] == "validation"}
            assert run["nats_per_token"] in losses.values()
            assert [point["step"] for point in run["curve"]] == [*losses]
            assert run["steps"] == max(losses)
            assert TOKENS - 100 < run["tokens"] < TOKENS + 300  # as the log says
        assert row["tests"]["test"]["bleu"]["mean"] == pytest.approx(
            fmean(run["tests"]["test"]["scores"]["bleu"]["value"] for run in row["runs"])
        )


def test_the_loss_of_a_text_is_the_same_by_tokens_and_by_characters(done):
    record = json.loads((done.out / "comparison.json").read_bytes())
    for run in (run for row in record["rows"] for run in row["runs"]):
        folder = done.out / "runs" / run["folder"]
        tokenizer = TokenizerPair.load(folder / "tokenizer.json")
        texts = [pair.target for pair in load_held_out(folder / "data").valid]
        tokens = sum(len(tokenizer.target.encode(text)) + 1 for text in texts)
        characters = sum(map(len, texts))
        assert run["nats_per_character"] * characters == pytest.approx(
            run["nats_per_token"] * tokens
        )


def test_the_picture_is_drawn(done):
    with Image.open(done.out / "comparison.png") as picture:
        picture.load()
        assert picture.width > 1000


def test_the_same_command_again_repeats_nothing(done, dragoman):
    def stamps():
        files = [run / name for run in runs_of(done.out) for name in ("metrics.jsonl", "card.md")]
        files += [run / name for run in runs_of(done.out) for name in ("scores.json", "data")]
        return {file: file.stat().st_mtime_ns for file in files}

    before = stamps()
    code, out, err = dragoman(*done.asked)
    assert (code, out) == (0, done.stdout)
    assert err.count("this run is finished") == 4
    assert stamps() == before


def test_another_budget_or_other_seeds_are_refused(done, dragoman):
    asked = [*done.asked]
    asked[asked.index(str(TOKENS))] = "9k"
    line = refused(dragoman(*asked))
    assert "it was 700 target tokens, now 9,000 target tokens" in line
    assert "--output" in line
    asked = [*done.asked]
    asked[asked.index("1,2")] = "1"
    assert "it was 1,2, now 1)" in refused(dragoman(*asked))


def test_a_recipe_that_has_changed_is_refused(done, dragoman):
    line = refused(dragoman(*done.asked, "model.heads=4"))
    assert "model.heads was 2, now 4" in line


@pytest.mark.slow
def test_a_recipe_may_join_later(done, tmp_path, dragoman):
    out = shutil.copytree(done.out, tmp_path / "out")
    folder = tmp_path / "later"
    folder.mkdir()
    text = (done.out.parent / "small.toml").read_text().replace('"small"', '"later"')
    text = text.replace('"corpus.tsv"', f'"{done.out.parent / "corpus.tsv"}"')
    (folder / "later.toml").write_text(text)
    asked = [*done.asked, folder / "later.toml"]
    asked[asked.index(str(done.out))] = out
    code, printed, err = dragoman(*asked)
    assert code == 0
    assert err.count("this run is finished") == 4
    assert [row["recipe"] for row in tables_of(printed)[0]] == ["small", "wider", "later"]


def test_alignment_errors_are_shown_where_the_runs_have_them(done, tmp_path, dragoman):
    out = shutil.copytree(done.out, tmp_path / "out")
    for number, run in enumerate(runs_of(out)[:2]):
        scores = json.loads((run / "scores.json").read_bytes())
        aligned = {"error": 0.25 + 0.1 * number, "pairs": 20, "map": "layer 1, head 1"}
        scores["test"]["alignment"] = aligned
        del scores["test"]["checksum"]
        (run / "scores.json").write_text(json.dumps(scores))
    asked = [*done.asked]
    asked[asked.index(str(done.out))] = out
    code, printed, _ = dragoman(*asked)
    assert code == 0
    assert [row["alignment error %"] for row in tables_of(printed)[0]] == ["30.0 ± 7.1", "–"]


def test_a_terminal_shows_the_same_figures(done):
    made = comparison.compare(
        done.recipes, done.out, budget=Budget("tokens", TOKENS), seeds=[1, 2], changes=QUICK
    )
    console = Console(width=220, file=StringIO())
    for table in rich_tables(made.standings):
        console.print(table)
    shown = console.file.getvalue()
    for row in (row for table in tables_of(done.stdout) for row in table):
        assert all(cell in shown for cell in row.values())


@pytest.mark.parametrize(
    ("before", "after", "key"),
    [
        ("held_out = 20", "held_out = 19", "corpus.held_out is not the same in all recipes (20"),
        ("held_out = 20", "seed = 5\nheld_out = 20", "corpus.seed"),
        ('train = "corpus.tsv"\nheld_out = 20', 'kind = "grammar"', "corpus.kind"),
        ("validation_sentences = 5", "validation_sentences = 6", "training.validation_sentences"),
    ],
)
def test_recipes_on_different_text_are_refused(tiny, tmp_path, dragoman, before, after, key):
    one, other = write_entrants(tiny, tmp_path)
    text = (tmp_path / "wider.toml").read_text()
    assert before in text
    (tmp_path / "wider.toml").write_text(text.replace(before, after))
    first = (tmp_path / "small.toml").read_text()
    (tmp_path / "small.toml").write_text(first.replace("[corpus]", "[corpus]\nseed = 1"))
    line = refused(dragoman("compare", one, other, "--output", tmp_path / "out"))
    assert line.startswith(f"dragoman: {key}")
    assert not (tmp_path / "out/plan.json").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--time", "1m", "--tokens", "1k"], "exclude each other"),
        (["--tokens", "many"], "is not a number of tokens"),
        (["--time", "soon"], "is not a time"),
        (["--seeds", "1,x"], "are not seeds"),
        (["--seeds", "1,1"], "a seed twice"),
        (["small.toml"], "there is no such recipe file"),
        (["transformr-alibi"], "there is no recipe of this name"),
        (["--seeds", "1,2", "training.setps=4"], "unknown key"),
        (["AGAIN"], "another of the recipes is called 'small' too"),
    ],
)
def test_a_user_s_mistake_is_one_line(tiny, tmp_path, dragoman, arguments, words):
    small, _ = write_entrants(tiny, tmp_path / "recipes")
    given = [small if each == "AGAIN" else each for each in arguments]
    line = refused(dragoman("compare", small, *given, "--output", tmp_path / "out"))
    assert words in line
    assert not (tmp_path / "out").exists()


def test_changes_alone_are_no_recipe(dragoman):
    assert "no recipe to compare" in refused(dragoman("compare", "training.steps=4"))


@pytest.mark.slow
def test_an_interrupted_comparison_goes_on_with_the_same_command(done, tmp_path, monkeypatch):
    real = Diagnosis.__call__
    asked = ["compare", *done.recipes[:2], *QUICK, "--tokens", str(TOKENS)]
    asked += ["--output", str(tmp_path / "out")]
    with monkeypatch.context() as patch:

        def interrupt(self, report):
            if report.step == 3:
                signal.raise_signal(signal.SIGINT)
            real(self, report)

        patch.setattr(Diagnosis, "__call__", interrupt)
        stopped = CliRunner().invoke(command.app, asked)
    assert stopped.exit_code == 130
    assert stopped.stdout == ""
    plan = (tmp_path / "out/plan.json").read_bytes()
    resumed = CliRunner().invoke(command.app, asked)
    assert resumed.exit_code == 0
    assert "resuming from step 3" in resumed.stderr
    assert (tmp_path / "out/plan.json").read_bytes() == plan
    same = "runs/small-seed-1/scores.json"
    assert (tmp_path / "out" / same).read_bytes() == (done.out / same).read_bytes()


@pytest.mark.slow
def test_equal_time_is_as_many_steps_as_the_measured_speed_allows(tiny, tmp_path, monkeypatch):
    monkeypatch.setattr(comparison, "MEASURED_FOR", 0.1)
    recipes = write_entrants(tiny, tmp_path)
    budget = Budget("time", 0.4)
    settings = {"budget": budget, "changes": QUICK}
    found = comparison.compare(recipes, tmp_path / "out", **settings)
    plan = json.loads((tmp_path / "out/plan.json").read_bytes())
    for each in found.standings:
        (run,) = each.outcomes
        seconds = plan["seconds_of_a_batch"][each.name]
        assert run.steps * seconds <= max(budget.amount, seconds)
        assert (run.steps + 1) * seconds > budget.amount
    monkeypatch.setattr(comparison, "measure", None)  # a second look must not need it
    again = comparison.compare(recipes, tmp_path / "out", **settings)
    assert again.standings == found.standings


def test_without_a_budget_each_recipe_has_its_own_steps(tiny, tmp_path):
    recipes = write_entrants(tiny, tmp_path)[:1]
    changes = [*QUICK, "training.steps=7", "training.validate_every=5"]
    found = comparison.compare(recipes, tmp_path / "out", budget=Budget(), changes=changes)
    (run,) = found.standings[0].outcomes
    assert [point["step"] for point in run.curve] == [5, 7]


def test_a_plan_that_cannot_be_read_is_said(tiny, tmp_path):
    recipes = write_entrants(tiny, tmp_path)[:1]
    (tmp_path / "out").mkdir()
    (tmp_path / "out/plan.json").write_text('{"format": "other"')
    with pytest.raises(RunError, match="not a plan that can be read"):
        comparison.compare(recipes, tmp_path / "out", budget=Budget())
