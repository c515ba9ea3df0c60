"""Word alignments by attention, against gold ones that the grammar knows."""

import json
import shutil
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from dragoman.cli.evaluate import evaluate as evaluate_verb
from dragoman.config.training import DecodingSettings
from dragoman.core.checksums import write_checked
from dragoman.core.errors import DataError
from dragoman.data.corpus.held_out import load_held_out
from dragoman.data.grammar.sample import GrammarExample, draw_sets
from dragoman.data.tokenizer.pair import TokenizerPair
from dragoman.data.tokenizer.special_tokens import END, PAD
from dragoman.data.tokenizer.words import WordTokenizer
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.metrics.alignment import alignment_error
from dragoman.neural.layers.watchable import Watchable
from dragoman.tasks.translation.alignment import (
    AttentionHead,
    alignments,
    best_head,
    evaluate_alignments,
    word_weights,
)
from dragoman.tasks.translation.bare_translator import BareTranslator
from dragoman.tasks.translation.evaluate import evaluate
from dragoman.trainer import train

RECIPE = """
name = "grammar"
seed = 4
corpus = { kind = "grammar", pairs = 200, held_out = 12, difficulty = 2, phrasebook = 0.2 }
tokenizer = { vocab_size = 500 }
batches = { max_tokens = 300 }
model = { width = 16, heads = 2, encoder_layers = 1, decoder_layers = 2, ffn_width = 32 }
schedule = { warmup_steps = 5 }
training = { steps = 8, threads = 1, device = "cpu", validate_every = 8, checkpoint_every = 8 }
decoding = { beam = 1 }
"""


@pytest.fixture(scope="module")
def grammar_run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("grammar")
    (folder / "grammar.toml").write_text(RECIPE, encoding="utf-8")
    train(folder / "grammar.toml", folder=folder / "run")
    return folder / "run"


@pytest.fixture
def changed(grammar_run, tmp_path):
    """Give a copy whose first unseen target was changed by hand."""
    folder = shutil.copytree(grammar_run, tmp_path / "run")
    path = folder / "data" / "test-unseen.target.txt"
    lines = path.read_text(encoding="utf-8").splitlines()
    write_checked(path, "\n".join(["कुछ और", *lines[1:]]) + "\n")
    return folder


class Knowing(torch.nn.Module):
    """A network of two layers, of which the second head of the second looks where gold says."""

    def __init__(self, gold):
        super().__init__()
        self.gold = gold
        self.layers = torch.nn.ModuleList([Watchable(), Watchable()])
        self.weight = torch.nn.Parameter(torch.zeros(1))

    def forward(self, source, target):
        end = (source == END).long().argmax(1)
        to_end = torch.nn.functional.one_hot(end, source.shape[1]).float()
        to_end = to_end.unsqueeze(1).expand(-1, target.shape[1], -1)
        right = 0.9 * to_end  # END draws most, and is no word
        for row, ids in enumerate(source.tolist()):
            key = tuple(number for number in ids if number not in (PAD, END))
            for s, t in self.gold.get(key, ()):
                right[row, t, s] += 0.1
        to_first = torch.zeros_like(to_end)
        to_first[:, :, 0] = 1.0
        told = [to_end, to_first], [to_first, right]
        for layer, heads in zip(self.layers, told, strict=True):
            layer.watcher(torch.stack(heads, dim=1))


@pytest.fixture(scope="module")
def knowing():
    examples = draw_sets(pairs=50, held_out=40, difficulty=2, seed=1).unseen
    sides = [
        WordTokenizer(sorted({word for example in examples for word in text(example).split()}))
        for text in (lambda example: example.source, lambda example: example.target)
    ]
    tokenizer = TokenizerPair(*sides)
    gold = {tuple(tokenizer.encode_source(e.source)): e.alignment for e in examples}
    model = Knowing(gold)
    decoding, device = DecodingSettings(), torch.device("cpu")
    translator = BareTranslator(model, tokenizer, decoding, longest=99, device=device)
    return SimpleNamespace(translator=translator, examples=examples)


def test_the_head_that_looks_where_gold_says_is_chosen(knowing):
    assert best_head(knowing.translator, knowing.examples) == AttentionHead(layer=2, head=2)
    assert str(AttentionHead(2, 2)) == "layer 2, head 2"
    assert str(AttentionHead(1)) == "layer 1, mean of heads"


def test_links_of_that_head_are_right_wherever_gold_has_one(knowing):
    examples = [
        example
        for example in knowing.examples
        if {t for _, t in example.alignment} == set(range(len(example.target.split())))
    ]
    assert len(examples) > 5
    found = alignments(knowing.translator, examples, AttentionHead(2, 2))
    assert found.score.precision == 1.0
    assert found.score.found == sum(len(example.target.split()) for example in examples)
    assert found.pairs == len(examples)


def test_every_map_has_a_table_of_words_without_end(knowing):
    for example, tables in zip(
        knowing.examples, word_weights(knowing.translator, knowing.examples), strict=True
    ):
        assert [*tables] == [AttentionHead(la, head) for la in (1, 2) for head in (0, 1, 2)]
        size = len(example.target.split()), len(example.source.split())
        assert all(table.shape == size for table in tables.values())
        mean = (tables[AttentionHead(2, 1)] + tables[AttentionHead(2, 2)]) / 2
        np.testing.assert_allclose(tables[AttentionHead(2)], mean, atol=1e-6)


def test_words_that_pieces_do_not_make_up_are_told(knowing):
    odd = GrammarExample("no\u00a0break", "a", (), "none")
    with pytest.raises(DataError, match="do not make up its words"):
        list(word_weights(knowing.translator, [odd]))


def test_a_grammar_run_is_judged_against_the_links_that_were_drawn_with_it(grammar_run):
    folder, translator = RunFolder(grammar_run), BareTranslator.load(grammar_run)
    found = evaluate_alignments(folder, translator)
    assert [*found] == ["unseen", "combinations"]
    assert len({one.choice for one in found.values()}) == 1
    drawn = draw_sets(pairs=200, held_out=12, difficulty=2, seed=4)
    choice = found["unseen"].choice
    links = []
    for table in word_weights(translator, drawn.unseen):
        rows = table[choice].tolist()
        links.append({(row.index(max(row)), t) for t, row in enumerate(rows)})
    expected = alignment_error(links, [example.alignment for example in drawn.unseen])
    assert found["unseen"].score == expected
    assert 0 < expected.error < 1


def test_the_choice_never_looks_at_the_test_s_gold(grammar_run, monkeypatch):
    import dragoman.tasks.translation.alignment as module

    translator, seen = BareTranslator.load(grammar_run), []
    original = module.best_head
    monkeypatch.setattr(module, "best_head", lambda t, e: (seen.extend(e), original(t, e))[1])
    evaluate_alignments(RunFolder(grammar_run), translator)
    stored = load_held_out(RunFolder(grammar_run).data)
    assert [example.source for example in seen] == [pair.source for pair in stored.valid]


def test_evaluating_stores_and_prints_the_rate(grammar_run, tmp_path, capsys):
    run = shutil.copytree(grammar_run, tmp_path / "run")
    evaluate_verb(run)
    printed = capsys.readouterr().out
    stored = json.loads((run / "scores.json").read_text())
    for name in ("unseen", "combinations"):
        aligned = stored[name]["alignment"]
        assert aligned["pairs"] == 12
        assert aligned["map"].startswith("layer ")
        assert f"AER    {100 * aligned['error']:6.2f} %" in printed
        row = f"| {name} | 12 | | alignment error rate ({aligned['map']}) | "
        assert f"{row}{100 * aligned['error']:.2f} % | |" in (run / "card.md").read_text()


def test_other_corpora_have_no_gold_and_nothing_is_said(run, tmp_path, capsys):
    (judged,) = evaluate(run, bootstrap=0)
    assert judged.alignment is None
    assert "alignment" not in judged.summary()
    assert "alignment" not in (run / "card.md").read_text()


def test_a_test_file_has_no_gold_even_for_a_grammar_run(grammar_run, tmp_path):
    run = shutil.copytree(grammar_run, tmp_path / "run")
    (tmp_path / "own.tsv").write_text("The boy reads.\tलड़का पढ़ता है।\n" * 3, encoding="utf-8")
    (judged,) = evaluate(run, [tmp_path / "own.tsv"], bootstrap=0)
    assert judged.alignment is None


def test_sentences_that_were_changed_have_no_alignment_and_their_scores_stand(changed, capsys):
    with pytest.raises(DataError, match="stored unseen sentences are not those"):
        evaluate_alignments(RunFolder(changed), BareTranslator.load(changed))
    judged = evaluate(changed, bootstrap=0)
    assert [one.alignment for one in judged] == [None, None, None]
    assert "alignments are not judged: the stored unseen" in capsys.readouterr().err
