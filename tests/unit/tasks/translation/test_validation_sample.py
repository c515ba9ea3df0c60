"""What a translator is validated on: a random sample of distinct sources, with all references."""

import pytest

from dragoman.config.reading import read_recipe
from dragoman.core.checksums import write_checked
from dragoman.data.corpus.held_out import load_held_out
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.engine.runtime import start
from dragoman.metrics.multi_reference import references_by_source
from dragoman.metrics.scores import score
from dragoman.tasks.open import open_task

SENTENCES = 12


@pytest.fixture
def task(recipe, tmp_path):
    """Open the tiny task on a sorted corpus whose every source has two translations."""
    corpus = recipe.with_name("corpus.tsv")
    lines = [line.split("\t") for line in corpus.read_text().splitlines()[:240]]
    corpus.write_text("".join(f"{s}\t{t}\n{s}\t{t} {t}\n" for s, t in lines))
    changes = [f"training.validation_sentences={SENTENCES}", "corpus.held_out=40"]
    folder = RunFolder(tmp_path / "run")
    chosen = read_recipe(recipe, changes)
    return open_task(folder, chosen, start(chosen.training), fresh=True)


@pytest.fixture
def judged(task):
    task.objective.model.eval()
    return task.validate(lambda _: None)


def test_the_sentences_are_of_distinct_sources_from_all_over_the_corpus(task):
    sources = [pair.source for pair in task.pairs]
    assert len(sources) == len(set(sources)) == SENTENCES
    assert task.held_out == 40
    held_out = sorted({pair.source for pair in task.prepared.valid})
    assert len(held_out) == 20
    assert sources != sorted(sources)
    assert max(sources) > held_out[SENTENCES]  # the first by the file would all be below


def test_samples_to_read_are_of_distinct_sources(judged):
    assert len({sample["source"] for sample in judged.samples}) == len(judged.samples) == 3


def test_the_best_weights_are_chosen_by_one_reference_and_all_are_told_beside(task, judged):
    outputs = judged.outputs
    alone = score(outputs, [[pair.target for pair in task.pairs]], metrics=("bleu", "chrf"))
    known = references_by_source(task.prepared.valid)
    both = [known[pair.source] for pair in task.pairs]
    every = score(outputs, list(zip(*both, strict=True)), metrics=("bleu", "chrf"))
    for name in ("bleu", "chrf"):
        assert judged.figures[name] == alone[name].value
        assert judged.figures[f"{name}_all_references"] == every[name].value
    assert judged.figures["chrf_all_references"] > judged.figures["chrf"] > 0


def test_a_run_goes_on_with_the_sentences_that_it_began_with(task, tmp_path):
    """The order is stored with the run: one from before it was random keeps its own."""
    data = RunFolder(tmp_path / "run").data
    pairs = sorted(load_held_out(data).valid)
    for side in ("source", "target"):
        text = "".join(f"{getattr(pair, side)}\n" for pair in pairs)
        write_checked(data / f"valid.{side}.txt", text)
    again = open_task(RunFolder(tmp_path / "run"), task.recipe, task.runtime, fresh=False)
    assert again.pairs == pairs[:SENTENCES]
    again.objective.model.eval()
    samples = again.validate(lambda _: None).samples
    assert len({sample["source"] for sample in samples}) == 3


def test_a_set_without_recurring_sources_has_no_figures_of_several_references(tiny):
    validations = [row for row in tiny.result[1] if row["kind"] == "validation"]
    assert validations
    assert not any("bleu_all_references" in row for row in validations)
