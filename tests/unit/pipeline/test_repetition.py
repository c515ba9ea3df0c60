"""A network that loves to repeat itself, and what comes out of it."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from dragoman.config.training import DecodingSettings
from dragoman.data.tokenizer.pair import TokenizerPair
from dragoman.data.tokenizer.special_tokens import END, FIRST_PIECE, START
from dragoman.data.tokenizer.words import WordTokenizer
from dragoman.metrics.loops import loop
from dragoman.pipeline.repetition import loop_free, replace_looping_sentences
from dragoman.tasks.translation.bare_translator import BareTranslator
from dragoman.tasks.translation.requests import TranslationRequest, run_coroutine
from dragoman.tasks.translation.translation import Translation

WORDS = ["ja", "Ja", "so", "da"]
IDS = {word: FIRST_PIECE + number for number, word in enumerate(WORDS)}


class Parrot:
    """The next word depends on the last one alone; the source says which word is the first."""

    def __init__(self, after):
        table = torch.full((FIRST_PIECE + len(WORDS), FIRST_PIECE + len(WORDS)), 1e-9)
        for last, nexts in after.items():
            for word, likely in nexts.items():
                table[IDS[last], END if word == "." else IDS[word]] = likely
        self.table = table.log_softmax(-1) if not after else (table / table.sum(1, True)).log()

    def begin(self, source):
        return source[:, 0]

    def step(self, tokens, state):
        first = torch.full_like(self.table[tokens], -20.0)
        first.scatter_(1, state[:, None], 0.0)
        return torch.where(tokens.eq(START)[:, None], first, self.table[tokens]), state

    def reorder(self, state, rows):
        return state[rows]


def translator(beam, **after):
    vocabulary = WordTokenizer(WORDS)
    return BareTranslator(
        Parrot({word: nexts for word, nexts in after.items()}),
        TokenizerPair(vocabulary, vocabulary),
        DecodingSettings(beam=beam),
        longest=50,
        device=torch.device("cpu"),
    )


def best(translator, sources, beam=None, terms=None, tell=None):
    question = TranslationRequest(texts=sources, beam=beam, terms=terms)
    return [each[0] for each in run_coroutine(translator, loop_free(question), tell)]


def texts(found):
    return [one.text for one in found]


LOVES_SO = {"so": {"so": 0.9, ".": 0.1}, "da": {".": 1.0}, "ja": {"da": 1.0}}
HIDES_IT = {"ja": {"Ja": 0.9, ".": 0.1}, "Ja": {"ja": 0.9, ".": 0.1}, "da": {".": 1.0}}


@pytest.mark.parametrize("beam", [1, 3])
def test_a_loop_is_searched_again_without_repetition(beam):
    parrot = translator(beam, **LOVES_SO)
    plain = [best[0] for best in parrot.candidates(["so", "da", "ja"])]
    assert plain[0].text == "so so so so"
    found = best(parrot, ["so", "da", "ja"])
    assert loop(found[0].text) is None
    assert found[0].text.split()[0] == "so"
    assert found[0].tokens == (IDS["so"],) * len(found[0].text.split())
    assert found[1:] == plain[1:]


@pytest.mark.parametrize("beam", [1, 3])
def test_a_loop_that_hides_from_the_search_is_cut(beam):
    parrot = translator(beam, **HIDES_IT)
    assert loop(parrot.translate("ja")) is not None
    (found,) = best(parrot, ["ja"])
    assert found.text == "ja"
    assert found.tokens == ()


def test_what_the_source_repeats_is_left_as_it_is():
    parrot = translator(2, **LOVES_SO)
    source = "so so so so"
    assert best(parrot, [source]) == parrot.candidates([source])[0][:1]


def test_terms_are_kept_by_the_second_search():
    parrot = translator(4, **LOVES_SO)
    found = best(parrot, ["da", "so"], terms=[[], [["da"]]])
    assert found[1].text.endswith("da")
    assert loop(found[1].text) is None
    assert texts(best(parrot, ["so"], terms=lambda text: [["da"]])) == [found[1].text]


def test_nothing_gives_nothing():
    parrot = translator(2, **LOVES_SO)
    assert best(parrot, []) == []
    assert best(parrot, [""]) == [Translation("", 0.0, 0.0)]


def test_a_trained_run_never_loops(tiny):
    loaded = BareTranslator.load(tiny.run)
    sources = ["sun " * 3 + "moon", "red", "cat cat dog", "sky sea song tree"] * 2
    found = best(loaded, sources, beam=2)
    assert all(loop(one.text, source) is None for one, source in zip(found, sources, strict=True))
    told = []
    assert found == best(loaded, sources, beam=2, tell=told.append)
    assert sum(told) == len(sources)


@given(
    st.lists(st.sampled_from(["Go.", "Run on.", "so so so so", "Stop it now."]), max_size=12),
    st.lists(st.sampled_from(["ja", "ja ja ja", "so da", "nie", "so da so da so"]), max_size=12),
)
def test_sentences_put_together_have_no_loop_but_their_own(sentences, answers):
    count = min(len(sentences), len(answers))
    parts = [""]
    for sentence in sentences[:count]:
        parts += [sentence, " "]
    found = replace_looping_sentences(parts, answers[:count])
    assert loop("".join(found), "".join(parts)) is None
    assert found[::2] == parts[::2]
    for place, answer in enumerate(answers[:count]):
        assert found[2 * place + 1] in (answer, sentences[place])
    joined = list(parts)
    joined[1::2] = answers[:count]
    if loop("".join(joined), "".join(parts)) is None:
        assert found == joined
