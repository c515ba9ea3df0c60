"""A masked language model of other makers fills in the words that their library would."""

import pytest
import torch
from tests.unit.data.tokenizer.test_imported import bert as bert_tokenizer
from tests.unit.interop.conftest import bert
from transformers import BertForMaskedLM

from dragoman.core.errors import DataError
from dragoman.interop.importing import import_huggingface
from dragoman.tasks.masked_lm.masked_language_model import MaskedLanguageModel

TEXTS = ["The quick [MASK] jumps over the lazy dog.", "[MASK] is nothing either [MASK] or bad."]


def test_an_imported_bert_gives_hidden_words_their_probabilities(checkpoint, tmp_path):
    library = bert_tokenizer()
    size = library.get_vocab_size()
    there = checkpoint(lambda: bert(BertForMaskedLM, vocab_size=size, max_position_embeddings=40))
    library.save(str(there.folder / "tokenizer.json"))
    import_huggingface(there.folder, tmp_path / "run")
    filler = MaskedLanguageModel.load(tmp_path / "run", device="cpu")
    hidden = library.token_to_id("[MASK]")
    for text in TEXTS:
        encoding = library.encode(text)
        with torch.inference_mode():
            scores = there.theirs(torch.tensor([encoding.ids])).logits[0].softmax(dim=-1)
        places = [place for place, number in enumerate(encoding.ids) if number == hidden]
        found = filler.fill(text.replace("[MASK]", "___"), size)
        assert filler.mask_words(text, "[MASK]").ids == tuple(encoding.ids)
        for guesses, place in zip(found, places, strict=True):
            assert 20 < len(guesses) < size
            for guess in guesses:
                number = library.token_to_id(guess.word)
                if number is not None:  # a decoded piece may be spelled otherwise
                    assert guess.probability == pytest.approx(
                        float(scores[place, number]), rel=1e-3
                    )
    with pytest.raises(DataError, match=r"has 1 '___', and the tokenizer makes 2 masks"):
        filler.fill("The quick [MASK] jumps over the ___ dog.")
