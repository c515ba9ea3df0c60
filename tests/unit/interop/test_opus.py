"""Models as OPUS-MT gives them away: two SentencePiece models, and one list of numbers."""

import json

import pytest
import sentencepiece
import torch
from tests.unit.interop.test_translators import marian, shaken
from transformers import MarianTokenizer

from dragoman.core.errors import DataError
from dragoman.data.tokenizer.sentence_pieces import SentencePieceTokenizer
from dragoman.data.tokenizer.special_tokens import END, START, UNKNOWN
from dragoman.interop.exporting import export_huggingface
from dragoman.interop.importing import import_huggingface
from dragoman.tasks.translation.bare_translator import BareTranslator

pytestmark = pytest.mark.filterwarnings("ignore:Recommended")  # sacremoses, which is not used
ENGLISH = ["the king sings a song", "a queen sees the king", "kings and queens sing songs"] * 5
FRENCH = ["le roi chante une chanson", "une reine voit le roi", "déjà vu, les rois chantent"] * 5
TEXTS = ["the king sings", "a queen ≠ 7 songs", "  two  spaces", ">>fra<< the king", "déjà", "日本"]


def learn(texts, folder, name):
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(texts),
        model_prefix=str(folder / name),
        vocab_size=44,
        model_type="unigram",
        hard_vocab_limit=False,
        minloglevel=2,
    )
    (folder / f"{name}.model").rename(folder / f"{name}.spm")
    (folder / f"{name}.vocab").unlink()
    model = sentencepiece.SentencePieceProcessor(model_file=str(folder / f"{name}.spm"))
    return [model.id_to_piece(n) for n in range(3, model.get_piece_size())]


@pytest.fixture(scope="module")
def opus(tmp_path_factory):
    """Give the folder of a small model, its network and the run that was made of it."""
    folder = tmp_path_factory.mktemp("opus")
    pieces = [*learn(ENGLISH, folder, "source"), *learn(FRENCH, folder, "target")]
    words = ["</s>", "<unk>", *dict.fromkeys(pieces), ">>fra<<", "<pad>"]
    (folder / "vocab.json").write_text(json.dumps({w: n for n, w in enumerate(words)}))
    (folder / "tokenizer_config.json").write_text(json.dumps({"source_lang": "en"}))
    last = len(words) - 1
    marks = {"pad_token_id": last, "decoder_start_token_id": last}
    theirs = shaken(lambda: marian(vocab_size=len(words), activation_function="swish", **marks))
    theirs.save_pretrained(folder)
    import_huggingface(folder, folder / "run")
    return folder, theirs, BareTranslator.load(folder / "run", device="cpu")


def test_text_is_cut_and_joined_as_their_tokenizer_does(opus):
    folder, _, ours = opus
    theirs = MarianTokenizer.from_pretrained(folder)
    for text in TEXTS:
        wanted = theirs.convert_ids_to_tokens(theirs(text).input_ids[:-1])
        assert ours.tokenizer.source.words(ours.tokenizer.encode_source(text)) == wanted
    for text in ("le roi chante", "déjà vu", "une reine voit"):
        numbers = theirs(text_target=text).input_ids[:-1]
        target = ours.tokenizer.target
        assert target.words(target.encode(text)) == theirs.convert_ids_to_tokens(numbers)
        assert target.decode(target.encode(text)) == theirs.decode(numbers)


def test_the_same_text_is_written(opus):
    folder, theirs, ours = opus
    tokenizer = MarianTokenizer.from_pretrained(folder)
    pad, unknown = theirs.config.pad_token_id, 1
    for text in TEXTS[:2]:
        batch = tokenizer(text, return_tensors="pt")
        most = 2 * batch.input_ids.shape[1] + 20 + 1
        found = theirs.generate(
            **batch, num_beams=1, do_sample=False, max_length=most, suppress_tokens=[pad, unknown]
        )
        assert ours.translate(text, beam=1) == tokenizer.decode(found[0], skip_special_tokens=True)


def test_it_goes_back_as_it_came(opus, tmp_path):
    _, theirs, ours = opus
    export_huggingface(opus[0] / "run", tmp_path / "back")
    tokenizer = MarianTokenizer.from_pretrained(tmp_path / "back")
    again = type(theirs).from_pretrained(tmp_path / "back").eval()
    assert again.config.decoder_start_token_id == START
    for text in TEXTS:
        wanted = [*ours.tokenizer.encode_source(text), END]
        assert tokenizer(text).input_ids == wanted
    read = torch.tensor([tokenizer(TEXTS[0]).input_ids])
    with torch.no_grad():
        found = again(input_ids=read, decoder_input_ids=torch.tensor([[START, 9, 10]])).logits
        wanted = ours.model(read, torch.tensor([[START, 9, 10]]))
    torch.testing.assert_close(found, wanted, atol=1e-5, rtol=1e-5)


def test_what_has_no_number_is_unknown(opus):
    source = opus[2].tokenizer.source
    assert isinstance(source, SentencePieceTokenizer)
    assert UNKNOWN in source.encode("日本")


def test_numbers_beyond_the_network_are_refused(opus, tmp_path):
    from shutil import copytree

    folder = copytree(opus[0], tmp_path / "opus")
    numbers = json.loads((folder / "vocab.json").read_text())
    (folder / "vocab.json").write_text(json.dumps({**numbers, "one more": 5000}))
    with pytest.raises(DataError, match="has the number 5,000"):
        import_huggingface(folder, tmp_path / "run")


def test_a_stored_model_that_is_none_is_an_error():
    with pytest.raises(DataError, match="must be a list of strings"):
        SentencePieceTokenizer.from_record({"model": "", "learned": None})
    with pytest.raises(DataError, match="SentencePiece model"):
        SentencePieceTokenizer.from_record({"model": "%", "learned": ["a", "b", "c", "d"]})
    broken = SentencePieceTokenizer(b"nothing", ["a", "b", "c", "d"])
    with pytest.raises(DataError, match="cannot be read"):
        broken.encode("a")
