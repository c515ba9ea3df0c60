"""Translating in 8 bits and with a shortlist: the same translator, faster."""

import shutil

import pytest
import torch

from dragoman.core.errors import RunError
from dragoman.data.tokenizer.special_tokens import END
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.tasks.translation.bare_translator import BareTranslator
from dragoman.tasks.translation.shortlists import shortlist_of

TEXTS = ["the sun", "the moon and the stars", "", "sun", "the big red house is here"]


def searching(translator, **changes):
    return translator.searching(translator.decoding.model_copy(update=changes))


def tokens(translator, texts=TEXTS):
    return [each[0].tokens for each in translator.candidates(texts)]


def test_a_loaded_translator_writes_what_its_network_writes(tiny):
    quick = BareTranslator.load(tiny.run)
    plain = BareTranslator(
        quick.model,
        quick.tokenizer,
        quick.decoding,
        longest=quick.longest,
        device=quick.device,
        corpus=quick.corpus,
    )
    assert tokens(quick) == tokens(plain)


@pytest.mark.parametrize("changes", [{"precision": "int8"}, {"shortlist": 20}])
def test_answers_come_in_the_order_of_the_questions(run, changes):
    translator = searching(BareTranslator.load(run), **changes)
    together = [each[0].text for each in translator.candidates(TEXTS)]
    assert together[2] == ""
    assert len(together) == len(TEXTS)
    alone = translator.translate(TEXTS[4])
    assert together[4] == alone or changes == {"precision": "int8"}


def test_a_shortlist_is_counted_once_and_kept(run):
    file = RunFolder(run).shortlist
    assert not file.exists()
    first = tokens(searching(BareTranslator.load(run), shortlist=30))
    written = file.read_bytes()
    assert tokens(searching(BareTranslator.load(run), shortlist=30)) == first
    assert file.read_bytes() == written


def test_a_damaged_shortlist_is_counted_again(run):
    first = tokens(searching(BareTranslator.load(run), shortlist=30))
    file = RunFolder(run).shortlist
    whole = file.read_bytes()
    for damage in (b"", whole[: len(whole) // 2], whole[:-4] + b"\xff\xff\xff\x7f"):
        file.write_bytes(damage)
        assert tokens(searching(BareTranslator.load(run), shortlist=30)) == first
        assert file.read_bytes() == whole


def test_a_run_without_its_training_tokens_has_no_shortlist(run):
    shutil.rmtree(run / "data")
    translator = searching(BareTranslator.load(run), shortlist=30)
    with pytest.raises(RunError, match=r"Set decoding\.shortlist=0"):
        translator.translate("the sun")


def test_nothing_is_written_that_is_not_on_the_shortlist(run):
    translator = searching(BareTranslator.load(run), shortlist=3)
    source = translator.tokenizer.encode_source("the sun")
    shortlist = shortlist_of(RunFolder(run), translator.tokenizer, 3)
    entries = shortlist.entries(torch.tensor([source]), [END])
    assert len(entries) < translator.tokenizer.target.size
    for one in translator.candidates(["the sun"], nbest=4)[0]:
        assert set(one.tokens) <= set(entries.tolist())


def test_given_beginnings_and_terms_are_on_the_shortlist(run):
    translator = searching(BareTranslator.load(run), shortlist=1)
    target = translator.tokenizer.target
    rare = target.decode([target.size - 1]).strip()
    text = translator.translate("the sun", prefix=rare)
    assert text.startswith(rare)
    found = translator.candidates(["the sun"], beam=8, terms=[[[rare]]])
    assert rare in found[0][0].text
    drawn = translator.sample(["the sun"], 3)
    assert len(drawn[0]) == 3


def test_several_models_speak_as_one_with_a_shortlist_too(run):
    alone = searching(BareTranslator.load(run), shortlist=30, precision="int8")
    twins = searching(BareTranslator.load(run, also=[run]), shortlist=30, precision="int8")
    assert tokens(twins) == tokens(alone)
