import pytest

from dragoman.core.errors import DataError
from dragoman.data.formats.pair import Pair
from dragoman.data.grammar.gold import redraw
from dragoman.data.grammar.sample import draw_sets


@pytest.fixture(scope="module")
def drawn():
    return draw_sets(pairs=400, held_out=30, difficulty=3, seed=8)


def stored(examples):
    return [Pair(example.source, example.target) for example in examples]


@pytest.mark.parametrize("name", ["valid", "unseen", "combinations"])
def test_stored_pairs_find_their_alignments_without_drawing_training(drawn, name):
    examples = getattr(drawn, name)
    assert redraw(stored(examples), name, difficulty=3, seed=8) == examples
    assert redraw(stored(examples)[:7], name, difficulty=3, seed=8) == examples[:7]


def test_every_link_joins_words_that_are_there(drawn):
    for example in drawn.unseen + drawn.combinations:
        words = len(example.source.split()), len(example.target.split())
        assert example.alignment
        assert all(s < words[0] and t < words[1] for s, t in example.alignment)


def test_pairs_that_the_grammar_does_not_draw_are_told(drawn):
    pairs = stored(drawn.unseen)
    changed = [*pairs[:-1], Pair(pairs[-1].source, "कुछ और")]
    for wrong in (changed, stored(drawn.train)[:5]):
        with pytest.raises(DataError, match="stored unseen sentences are not those that the gramm"):
            redraw(wrong, "unseen", difficulty=3, seed=8)
    with pytest.raises(DataError, match="difficulty 3 and seed 9"):
        redraw(pairs, "unseen", difficulty=3, seed=9)
