"""`dragoman plan count`: a tree for people, JSON for programs, a table to compare."""

import json

import pytest


def test_a_tree_adds_up_equal_layers_and_tells_what_was_assumed(dragoman):
    code, out, err = dragoman("plan", "count", "english-hindi")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "english-hindi: transformer, translation"
    assert any("tokenizer.vocab_size" in line for line in lines)
    (layers,) = [line for line in lines if "2 × encoder layer" in line]
    assert layers.split()[0] == "0-1"
    assert "396,808" in layers
    (peak,) = [line for line in lines if line.startswith("training peak")]
    assert peak.endswith("MiB")
    assert max(map(len, lines)) < 130


def test_depth_decides_how_much_of_the_tree_is_shown(dragoman):
    sizes = [
        len(dragoman("plan", "count", "gpt2", "--depth", n)[1].splitlines()) for n in (0, 1, 4)
    ]
    assert sizes == sorted(sizes)
    assert len(set(sizes)) == 3


def sums(node):
    for key in ("parameters", "forward_flops", "backward_flops", "activation_bytes"):
        below = sum(part[key] for part in node["parts"])
        assert node[key] >= below
        if node["parts"] and key == "parameters":
            assert node[key] == below
    for part in node["parts"]:
        sums(part)


@pytest.mark.parametrize("name", ["luong", "emoji-clip", "grammar-bert"])
def test_json_holds_the_whole_tree_and_its_sums(dragoman, name):
    code, out, _ = dragoman("plan", "count", name, "--json", "--batch", 4, "--length", 8)
    found = json.loads(out)
    assert code == 0
    assert (found["name"], found["sizes"]["batch"]) == (name, 4)
    assert found["multiplications"] * 2 == found["forward_flops"]
    assert found["parameters"] == found["network"]["parameters"]
    assert found["memory"]["peak_bytes"] > found["memory"]["parameters_bytes"]
    sums(found["network"])


def test_several_models_are_compared_in_a_table(dragoman):
    code, out, _ = dragoman("plan", "count", "luong", "bahdanau", "gpt2")
    table = out.split("\n\n")[0].splitlines()
    assert code == 0
    assert [line.split()[0] for line in table] == ["name", "luong", "bahdanau", "gpt2"]
    assert len({len(line) for line in table}) == 1
    assert "124,439,808" in table[-1]
    two = json.loads(dragoman("plan", "count", "luong", "bahdanau", "--json")[1])
    assert [one["name"] for one in two] == ["luong", "bahdanau"]


def test_changes_are_made_to_all_recipes(dragoman):
    _, plain, _ = dragoman("plan", "count", "luong", "bahdanau")
    _, wide, _ = dragoman("plan", "count", "luong", "bahdanau", "model.width=300")
    assert plain.splitlines()[1] != wide.splitlines()[1]


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        (("nothing",), "there is no recipe of this name"),
        (("model.width=3",), "no recipe that they are for"),
        (("luong", "model.widht=3"), "unknown key"),
        (("gpt2", "model.width=8"), "has no keys to change"),
        (("mnist", "model={kind = 'alexnet'}"), "nothing is left of maps"),
        (("mnist", "model={kind = 'vit', patch = 5}"), "do not split into patches of 5×5"),
    ],
)
def test_a_mistake_is_one_line(dragoman, typed, told):
    code, out, err = dragoman("plan", "count", *typed)
    assert (code, out) == (2, "")
    assert told in err
    assert len(err.splitlines()) == 1


def test_help_names_what_can_be_counted(dragoman):
    code, out, _ = dragoman("plan", "count", "--help")
    assert code == 0
    assert "run folders" in out
    assert "plan" in dragoman("--help")[1]
