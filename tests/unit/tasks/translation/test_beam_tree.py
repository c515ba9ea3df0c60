"""The beam of a trained translator as a tree."""

import pytest
import torch

from dragoman.core.errors import ConfigError
from dragoman.data.tokenizer.special_tokens import END, START
from dragoman.tasks.translation.bare_translator import BareTranslator
from dragoman.tasks.translation.beam_tree import beam_tree

TEXTS = ["sun moon sea", "red", "cat dog bird fish song tree", "a word nobody knows"]


@pytest.fixture(scope="module")
def translator(tiny):
    return BareTranslator.load(tiny.run, device="cpu")


def forced_totals(translator, source, nodes):
    """Let the network be told each way through the tree, and return what it says of each end."""
    model = translator.model
    read = torch.tensor([[*translator.tokenizer.encode_source(source), END]])
    totals, heard = [0.0], {}
    with torch.inference_mode():
        states = {0: model.begin(read)}
        for node in nodes[1:]:
            if node.parent not in heard:  # a way goes on from here for the first time
                before = nodes[node.parent]
                last = START if before.parent is None else before.token
                heard[node.parent] = model.step(torch.tensor([last]), states[node.parent])
            log_probs, states[node.number] = heard[node.parent]
            totals.append(totals[node.parent] + log_probs[0, node.token].item())
    return totals


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("beam", [1, 2, 5])
def test_the_winner_is_the_translation_and_every_total_is_the_network_s_own(translator, text, beam):
    before = translator.candidates([text], beam=beam)[0][0]
    tree = beam_tree(translator, text, beam=beam)
    assert translator.candidates([text], beam=beam)[0][0] == before
    assert (tree.beam, tree.best.text) == (beam, before.text)
    assert tree.best.total == before.log_probability
    assert tree.best.score == before.score
    said = forced_totals(translator, text, tree.nodes)
    assert [node.total for node in tree.nodes] == pytest.approx(said, abs=1e-5)


def test_a_tree_is_well_formed(translator):
    tree = beam_tree(translator, TEXTS[2], beam=4)
    assert [node.number for node in tree.nodes] == [*range(len(tree.nodes))]
    assert tree.nodes[0].fate == "start"
    assert tree.nodes[0].text == tree.nodes[0].piece == ""
    parents = {node.parent for node in tree.nodes}
    for node in tree.nodes[1:]:
        assert node.parent < node.number
        assert node.step == tree.nodes[node.parent].step + 1
        assert node.total <= tree.nodes[node.parent].total
        assert (node.fate == "alive") <= (node.number in parents)
        assert (node.fate in ("ended", "dropped")) <= (node.number not in parents)
        assert node.ended == (node.piece == "</s>")
    path = [node for node in tree.nodes if node.fate == "best"]
    assert [node.parent for node in path[1:]] == [node.number for node in path[:-1]]
    assert tree.steps == max(node.step for node in tree.nodes)


def test_groups_share_their_start_and_widen_the_beam(translator):
    other = translator.searching(translator.decoding.model_copy(update={"groups": 2, "beam": 4}))
    tree = beam_tree(other, TEXTS[0], beam=3)
    assert tree.beam == 4
    assert tree.best.text == other.candidates([TEXTS[0]], beam=4)[0][0].text
    assert sum(node.step == 1 for node in tree.nodes) == 4


def test_a_shortlist_speaks_in_the_numbers_of_the_vocabulary(run):
    translator = BareTranslator.load(run, device="cpu")
    other = translator.searching(translator.decoding.model_copy(update={"shortlist": 20}))
    tree = beam_tree(other, TEXTS[0], beam=3)
    assert tree.best.text == other.translate(TEXTS[0], beam=3)


def test_what_is_not_searched_as_a_whole_has_no_tree(translator):
    assert beam_tree(translator, " \x00 ") is None
    assert beam_tree(translator, "sun " * 400) is None
    with pytest.raises(ConfigError, match="does not write"):
        beam_tree(translator, "sun", to="xx")


def test_an_engine_that_hides_its_beam_is_told(translator):
    hidden = BareTranslator(
        None,
        translator.tokenizer,
        translator.decoding,
        longest=20,
        device=torch.device("cpu"),
        engine=lambda *_: [],
    )
    with pytest.raises(ConfigError, match="does not show its beam"):
        beam_tree(hidden, "sun")
