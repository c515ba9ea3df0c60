"""Every family is asked what it looks at, and answers in the same words."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch

from dragoman.config.decoder_only import DecoderOnlySettings
from dragoman.config.model import TransformerSettings
from dragoman.config.recurrent import RecurrentSettings
from dragoman.core.errors import ConfigError, ShapeError
from dragoman.data.tokenizer.bpe import BpeTokenizer
from dragoman.data.tokenizer.characters import CharacterTokenizer
from dragoman.data.tokenizer.special_tokens import END, START
from dragoman.data.tokenizer.words import WordTokenizer
from dragoman.engine.build import build_model
from dragoman.neural.layers.watchable import Watchable
from dragoman.tasks.translation.attention import check_attention, kinds_of, read_attention
from dragoman.tasks.translation.attention_report import attention_report
from dragoman.tasks.translation.bare_translator import BareTranslator
from dragoman.tasks.translation.subword_words import join_subwords, word_texts, words_of_subwords

SMALL = {"width": 16, "heads": 2, "ffn_width": 24, "dropout": 0.0}
FAMILIES = {
    "transformer": TransformerSettings(**SMALL, encoder_layers=2, decoder_layers=3),
    "additive": RecurrentSettings(width=16, context="additive"),
    "general": RecurrentSettings(width=16, context="general"),
    "fed": RecurrentSettings(width=16, context="dot", bidirectional=False, input_feeding=True),
    "backwards": RecurrentSettings(width=16, context="additive", reverse_source=True),
    "decoder-only": DecoderOnlySettings(**SMALL, layers=2),
}
SOURCES = [[40, 41, 42, END], [50, END], [60, 61, 62, 63, 64, 65, END], [70, 71, 72, END]]
TARGETS = [[43, 44], [51, 52, 53, 54, 55], [66], [73, 74, 75]]


def build(settings):
    words = SimpleNamespace(source=SimpleNamespace(size=300), target=SimpleNamespace(size=300))
    return build_model(settings, words, 1).eval()


@pytest.fixture(params=FAMILIES, scope="module")
def name(request):
    return request.param


@pytest.fixture(scope="module")
def model(name):
    return build(FAMILIES[name])


def test_every_family_says_what_looks_at_what(name, model):
    expected = {
        "transformer": ["source"] * 2 + ["target", "across"] * 3,
        "decoder-only": ["row"] * 2,
    }
    assert [*kinds_of(model).values()] == expected.get(name, ["across"])
    check_attention(model)


@pytest.mark.parametrize("context", ["first", "every"])
def test_a_fixed_context_has_no_attention_and_says_so(context):
    model = build(RecurrentSettings(width=16, context=context))
    assert kinds_of(model) == {}
    with pytest.raises(ConfigError, match="--attention: this model has no attention to be drawn"):
        check_attention(model)


def test_maps_of_a_shape_that_nobody_knows_are_told():
    class Odd(Watchable):
        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.zeros(1))

        def forward(self, source, target):
            self.watcher(torch.ones(1, 1, 2, 9))

    with pytest.raises(ShapeError, match="2 positions look at 9"):
        kinds_of(torch.nn.Sequential(Odd())[0])


def test_every_map_has_the_size_of_its_sentence_whatever_stands_beside_it(name, model):
    whole = read_attention(model, SOURCES, TARGETS)
    for seen, source, target in zip(whole, SOURCES, TARGETS, strict=True):
        s, t = len(source), len(target) + 1
        sizes = {"source": (s, s), "target": (t, t), "row": (s + t, s + t)}
        sizes["across"] = (t, s - 1 if name == "decoder-only" else s)
        for kind, size in sizes.items():
            assert all(each.shape[1:] == size for each in getattr(seen, kind)), kind
        (alone,) = read_attention(model, [source], [target])
        for kind in sizes:
            for one, other in zip(getattr(seen, kind), getattr(alone, kind), strict=True):
                np.testing.assert_allclose(one, other, atol=1e-5)
        assert seen.across


def test_rows_sum_to_one_but_where_they_are_a_part_of_a_longer_row(name, model):
    for seen in read_attention(model, SOURCES, TARGETS):
        whole = [*seen.source, *seen.target, *seen.row]
        whole += [] if name == "decoder-only" else seen.across
        for weights in whole:
            np.testing.assert_allclose(weights.sum(-1), 1.0, atol=1e-5)
        for weights in seen.across:
            assert weights.sum(-1).max() < 1 + 1e-5


def test_a_packed_row_is_cut_where_its_source_and_its_target_stand():
    model = build(FAMILIES["decoder-only"])
    packed = model.pack(torch.tensor([SOURCES[0]]), torch.tensor([[START, *TARGETS[0]]]))[0]
    (seen,) = read_attention(model, [SOURCES[0]], [TARGETS[0]])
    source = [place for place, token in enumerate(packed.tolist()) if token in SOURCES[0][:-1]]
    writing = [place for place, token in enumerate(packed.tolist()) if token in TARGETS[0]]
    mark = writing[0] - 1
    assert packed[mark] == model.prompt_end
    for whole, across in zip(seen.row, seen.across, strict=True):
        assert np.array_equal(across, whole[:, [mark, *writing]][:, :, source])


def test_pieces_belong_to_the_words_that_spaces_part():
    bpe = BpeTokenizer(["▁", "a", "b", "c", "▁a", "bc"])
    text = "abc a ｟3｠ é"
    ids = [START, *bpe.encode(text), END]
    words = words_of_subwords(bpe, ids)
    assert word_texts(bpe, ids, words) == ["<s>", "abc", "a", "｟3｠", "é", "</s>"]
    letters = CharacterTokenizer(["a", "b", "▁"])
    ids = letters.encode("ab b aab")
    assert words_of_subwords(letters, ids) == [0, 0, 1, 1, 2, 2, 2, 2]
    assert word_texts(letters, ids, words_of_subwords(letters, ids)) == ["ab", "b", "aab"]
    plain = WordTokenizer(["sun", "moon"])
    assert words_of_subwords(plain, [*plain.encode("sun star moon"), END]) == [0, 1, 2, 3]
    assert word_texts(plain, [], []) == []


def test_joined_to_words_what_is_looked_at_adds_up_and_the_mean_is_taken_of_who_looks():
    weights = np.array([[[0.1, 0.2, 0.7], [0.3, 0.3, 0.4], [0.0, 1.0, 0.0]]])
    found = join_subwords(weights, rows=[0, 0, 1], columns=[0, 1, 1])
    np.testing.assert_allclose(found, [[[0.2, 0.8], [0.0, 1.0]]])
    np.testing.assert_allclose(found.sum(-1), 1.0)


def test_a_watched_sentence_has_its_pieces_beside_its_maps(tiny):
    translator = BareTranslator.load(tiny.run)
    seen = attention_report(translator, " sun  moon ", "moon sun")
    kinds = {one.kind: one for one in seen.maps}
    assert [*kinds] == ["across", "source", "target"]
    across, target = kinds["across"], kinds["target"]
    assert across.columns.spelled == ("sun", "moon", "</s>")
    assert across.rows.spelled == ("moon", "sun", "</s>")
    assert target.columns.spelled == ("<s>", "moon", "sun")
    assert across.rows.marks == (len(across.rows.pieces) - 1,)
    for one in seen.maps:
        size = len(one.rows.pieces), len(one.columns.pieces)
        assert all(weights.shape == (2, *size) for weights in one.layers)
    assert np.triu(target.layers[0][0], 1).max() == 0  # nothing looks ahead


def test_a_text_that_no_single_pass_wrote_is_not_watched(tiny):
    translator = BareTranslator.load(tiny.run)
    assert attention_report(translator, "sun " * 200, "sun") is None


def test_a_row_of_both_texts_is_told_with_the_turn_between_them(tiny):
    known = BareTranslator.load(tiny.run)
    model = build_model(DecoderOnlySettings(**SMALL, layers=1), known.tokenizer, 1).eval()
    translator = BareTranslator(
        model, known.tokenizer, known.decoding, longest=known.longest, device=known.device
    )
    across, row = attention_report(translator, "sun moon", "moon sun").maps
    assert across.columns.spelled == ("sun", "moon")
    assert row.columns.spelled == ("<s>", "sun", "moon", "→", "moon", "sun")
    assert row.layers[0].shape[1:] == (len(row.rows.pieces), len(row.columns.pieces))
