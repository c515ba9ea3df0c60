import json
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer as Library
from tokenizers import decoders, models, normalizers, pre_tokenizers, processors, trainers

from dragoman.core.errors import DataError
from dragoman.data.tokenizer import imported
from dragoman.data.tokenizer.imported import ImportedTokenizer, SpecialTokenNames
from dragoman.data.tokenizer.imported_files import (
    bert_tokenizer,
    byte_level_tokenizer,
    read_imported,
)
from dragoman.data.tokenizer.pair import TokenizerPair

LINES = [
    "The quick brown fox jumps over the lazy dog, and the other dogs watch it.",
    "There is nothing either good or bad, but thinking makes it so: 1602.",
    "तुम कल मेरे घर क्यों नहीं आए थे?",
] * 5
BERT_MARKS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


@cache
def bert():
    library = Library(models.WordPiece(unk_token="[UNK]"))
    library.normalizer = normalizers.BertNormalizer(lowercase=True)
    library.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    library.decoder = decoders.WordPiece()
    trainer = trainers.WordPieceTrainer(
        vocab_size=180, special_tokens=["[PAD]", "[a]", *BERT_MARKS[1:]], show_progress=False
    )
    library.train_from_iterator(LINES, trainer)
    library.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 3), ("[SEP]", 4)]
    )
    return library


@cache
def gpt():
    library = Library(models.BPE())
    library.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    library.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=330,
        special_tokens=["<|endoftext|>", "<|im_start|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    library.train_from_iterator(LINES, trainer)
    return library


@cache
def t5():
    library = Library(models.Unigram())
    library.normalizer = normalizers.NFKC()
    library.pre_tokenizer = pre_tokenizers.Metaspace()
    library.decoder = decoders.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=120,
        special_tokens=["<pad>", "</s>", "<unk>", "<extra_id_0>"],
        unk_token="<unk>",
        show_progress=False,
    )
    library.train_from_iterator(LINES, trainer)
    return library


@pytest.fixture(scope="module", params=[bert, gpt, t5], ids=["bert", "gpt", "t5"])
def library(request):
    return request.param()


@pytest.fixture(scope="module")
def vocabulary(library):
    return ImportedTokenizer(library.to_str())


TEXTS = st.sampled_from(LINES) | st.text(st.characters(codec="utf-8"), max_size=30)


@settings(max_examples=100, deadline=None)
@given(TEXTS)
def test_numbers_and_texts_are_those_of_the_library(library, vocabulary, text):
    ids = vocabulary.encode_with_special_tokens(text)
    assert ids == library.encode(text, add_special_tokens=False).ids
    silent = {vocabulary.pad, vocabulary.start, vocabulary.end}
    said = [number for number in ids if number not in silent]
    assert vocabulary.decode(ids) == library.decode(said, skip_special_tokens=False)
    assert vocabulary.words(ids) == [library.id_to_token(number) for number in ids]


def test_text_comes_back_as_far_as_the_file_lets_it():
    line = LINES[0]
    assert (found := ImportedTokenizer(gpt().to_str())).decode(found.encode(line)) == line
    assert (found := ImportedTokenizer(t5().to_str())).decode(found.encode(line)) == line
    assert (found := ImportedTokenizer(bert().to_str())).decode(found.encode(line)) == line.lower()


def test_a_stored_vocabulary_is_the_same(tmp_path, vocabulary):
    path = tmp_path / "tokenizer.json"
    TokenizerPair(vocabulary, vocabulary).save(path)
    again = TokenizerPair.load(path).target
    assert isinstance(again, ImportedTokenizer)
    assert again.pieces == vocabulary.pieces
    assert again.special_tokens == vocabulary.special_tokens
    for line in LINES[:3]:
        assert again.encode(line) == vocabulary.encode(line)
    TokenizerPair(again, again).save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == path.read_bytes()


def marks_of(vocabulary):
    parts = ("pad", "unknown", "start", "end", "mask")
    return tuple(getattr(vocabulary, part) for part in parts)


def test_marks_keep_their_own_numbers():
    assert marks_of(ImportedTokenizer(bert().to_str())) == (0, 2, 3, 4, 5)
    assert marks_of(ImportedTokenizer(gpt().to_str())) == (None, None, 0, 0, None)
    assert marks_of(ImportedTokenizer(t5().to_str())) == (0, 2, None, 1, None)
    told = SpecialTokenNames(start="<|im_start|>", end="<|endoftext|>", pad="<|endoftext|>")
    assert marks_of(ImportedTokenizer(gpt().to_str(), told)) == (0, None, 1, 0, None)
    assert ImportedTokenizer(t5().to_str()).special == {0, 1, 2, 3}
    with pytest.raises(DataError, match="the mark '<nothing>' is not in the tokenizer.json"):
        ImportedTokenizer(gpt().to_str(), SpecialTokenNames(end="<nothing>"))


def test_marks_are_read_from_the_settings_beside_a_model():
    settings_ = {
        "bos_token": {"content": "<s>", "lstrip": False},
        "cls_token": None,
        "eos_token": "</s>",
        "sep_token": "<sep>",
        "mask_token": 3,
        "pad_token": "",
    }
    assert SpecialTokenNames.from_settings(settings_) == SpecialTokenNames(start="<s>", end="<sep>")


def test_a_text_cannot_say_a_mark_unless_it_may():
    vocabulary = ImportedTokenizer(bert().to_str())
    assert vocabulary.mask in vocabulary.encode_with_special_tokens("the [MASK] dog")
    assert not vocabulary.special & {*vocabulary.encode("the quick [MASK] dog")} - {
        vocabulary.unknown  # no bracket was learned
    }


def test_padding_and_cutting_off_are_left_to_others():
    library = Library.from_str(bert().to_str())
    library.enable_padding(length=128)
    library.enable_truncation(4)
    long = " ".join(LINES)
    assert ImportedTokenizer(library.to_str()).encode(long) == (
        bert().encode(long, add_special_tokens=False).ids
    )


def test_any_numbers_can_be_decoded(vocabulary):
    strange = [-1, 0, vocabulary.size, 2**70, 5]
    assert isinstance(vocabulary.decode(strange), str)
    assert len(vocabulary.words(strange)) == len(strange)
    assert 0 <= vocabulary.unknown_rate(strange) <= 1
    assert vocabulary.size == len(vocabulary.pieces) == len(vocabulary.learned)


def test_unknown_text_is_counted_by_the_file_s_own_number():
    vocabulary = ImportedTokenizer(bert().to_str())
    assert vocabulary.unknown_rate(vocabulary.encode("the жжж dog dog")) == pytest.approx(0.25)


def test_begins_of_words_are_known_in_each_manner_of_writing(vocabulary):
    ids = vocabulary.encode("and the quick")
    words = sum(vocabulary.begins_word(number) for number in ids)
    first = vocabulary.begins_word(ids[0])
    assert words + (not first) == 3  # GPT-2 writes no space before the first word


def test_a_newline_is_the_piece_that_stands_for_it_or_else_the_end_mark():
    byte_level = ImportedTokenizer(gpt().to_str())
    assert [byte_level.newline] == byte_level.encode("\n")
    assert ImportedTokenizer(t5().to_str()).newline == 1


VOCAB = [*BERT_MARKS, "the", "do", "##g", "##gs", ",", "e", "##e", "E"]


def test_bert_s_list_gives_the_numbers_of_its_lines():
    text = "\n".join(VOCAB) + "\n"
    uncased = bert_tokenizer(text, lower=True)
    assert uncased.pieces == VOCAB
    assert marks_of(uncased) == (0, 1, 2, 3, 4)
    assert uncased.words(uncased.encode("THE dogs,Éx")) == ["the", "do", "##gs", ",", "[UNK]"]
    assert uncased.words(uncased.encode("É")) == ["e"]
    cased = bert_tokenizer(text.replace("\n", "\r\n"), lower=False)
    assert cased.words(cased.encode("E Ee é the")) == ["E", "E", "##e", "[UNK]", "the"]


@pytest.mark.parametrize("text", ["", "a\nb", "[UNK]\na\na"])
def test_a_list_that_cannot_be_bert_s_is_refused(text):
    with pytest.raises(DataError, match="names a piece twice or has no"):
        bert_tokenizer(text, lower=True)


def test_byte_level_pieces_and_merges_make_the_same_vocabulary():
    record = json.loads(gpt().to_str())["model"]
    merges = ["#version: 0.2", *(" ".join(pair) for pair in record["merges"]), ""]
    end = SpecialTokenNames(start="<|endoftext|>", end="<|endoftext|>")
    made = byte_level_tokenizer(record["vocab"], merges, end, further=["<|im_start|>"])
    original = ImportedTokenizer(gpt().to_str())
    for line in LINES[:3]:
        assert made.encode(line) == original.encode(line)
    assert made.pieces == original.pieces
    assert made.special == original.special
    digits = byte_level_tokenizer(record["vocab"], merges, single_digits=True)
    assert digits.words(digits.encode("in 1602")) == ["in", "Ġ", "1", "6", "0", "2"]
    with pytest.raises(DataError, match="no pair: 'ab'"):
        byte_level_tokenizer(record["vocab"], ["ab"])


def test_a_model_s_folder_is_read_whichever_files_it_has(tmp_path):
    record = json.loads(gpt().to_str())["model"]
    files = {
        "fast/tokenizer.json": t5().to_str(),
        "fast/tokenizer_config.json": json.dumps({"eos_token": "</s>", "pad_token": "<unk>"}),
        "plain/tokenizer.json": bert().to_str(),
        "bert/vocab.txt": "\n".join(VOCAB),
        "bert/tokenizer_config.json": json.dumps({"do_lower_case": False}),
        "gpt/vocab.json": json.dumps(record["vocab"]),
        "gpt/merges.txt": "\n".join(map(" ".join, record["merges"])),
        "gpt/special_tokens_map.json": json.dumps({"eos_token": {"content": "<|endoftext|>"}}),
        "bad/tokenizer.json": "{",
        "list/tokenizer_config.json": "[]",
        "deep/tokenizer_config.json": "[" * 100_000,
        "empty/readme.md": "",
    }
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content, encoding="utf-8")
    assert marks_of(read_imported(tmp_path / "fast")) == (2, None, None, 1, None)
    assert marks_of(read_imported(tmp_path / "plain")) == (0, 2, 3, 4, 5)
    assert read_imported(tmp_path / "bert").encode("E") == [12]
    assert read_imported(tmp_path / "gpt").end == 0
    for name, message in {
        "bad": "cannot be worked with",
        "list": "not a JSON file of names",
        "deep": "not JSON",
        "empty": "no tokenizer.json, vocab.txt or merges.txt",
        "none": "no tokenizer.json",
    }.items():
        with pytest.raises(DataError, match=message):
            read_imported(tmp_path / name)


def with_model(model, **others):
    return json.dumps({"version": "1.0", "model": model, **others})


WORDS = {
    "type": "WordPiece",
    "vocab": {"a": 0},
    "unk_token": "[UNK]",
    "continuing_subword_prefix": "##",
    "max_input_chars_per_word": 9,
}
REGEX = {"type": "Split", "pattern": {"Regex": "(a+)+$"}, "behavior": "Isolated", "invert": False}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "null",
        "[" * 100_000,
        "\ud800",
        with_model({"type": "BPE", "vocab": {}, "merges": []}),
        with_model({"type": "BPE", "vocab": {"a": -1}, "merges": []}),
        with_model({"type": "BPE", "vocab": {"a": 2**32 - 1}, "merges": []}),
        with_model({"type": "BPE", "vocab": {"a": 0}, "merges": [["a", "b"]]}),
        with_model({"type": "Unigram", "vocab": [], "unk_id": 3}),
        with_model(WORDS, normalizer={"type": "Precompiled", "precompiled_charsmap": "AAAA"}),
    ],
    ids=range(11),
)
def test_a_hostile_file_is_refused_in_plain_words(text, capfd):
    with pytest.raises(DataError, match="tokenizer"):
        ImportedTokenizer(text)


def test_a_file_that_fails_only_at_work_says_so(capfd):
    with pytest.raises(DataError, match="cannot be worked with"):
        ImportedTokenizer(with_model(WORDS)).encode("b")  # it has no [UNK]
    with pytest.raises(DataError, match="cannot work with this"):
        ImportedTokenizer(with_model(WORDS, pre_tokenizer=REGEX)).encode("a" * 30 + "b")
    with pytest.raises(DataError, match="half a surrogate pair"):
        ImportedTokenizer(gpt().to_str()).encode("a\ud800")


def test_a_file_that_is_too_long_is_refused(monkeypatch):
    monkeypatch.setattr(imported, "LONGEST_FILE", 100)
    with pytest.raises(DataError, match="100 is the most"):
        ImportedTokenizer(gpt().to_str())


@pytest.mark.parametrize(
    "change",
    [{"file": 3}, {"marks": None}, {"marks": {}}, {"marks": {"pad": 1}}, {"file": "{}"}],
    ids=range(5),
)
def test_a_damaged_record_is_refused(tmp_path, change):
    vocabulary = ImportedTokenizer(gpt().to_str())
    TokenizerPair(vocabulary, vocabulary).save(tmp_path / "tokenizer.json")
    record = json.loads((tmp_path / "tokenizer.json").read_bytes())
    if change == {"marks": {"pad": 1}}:
        change = {"marks": record["sides"][0]["marks"] | {"pad": 1}}
    record["sides"][0] |= change
    (tmp_path / "tokenizer.json").write_text(json.dumps(record))
    (tmp_path / "checksums.json").unlink()
    with pytest.raises(DataError, match=r"tokenizer\.json: not a tokenizer that can be read"):
        TokenizerPair.load(tmp_path / "tokenizer.json")


TEMPLATE = {
    "type": "TemplateProcessing",
    "single": [{"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "", "type_id": 0}}],
    "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
    "special_tokens": {"b": {"id": "b", "ids": [1], "tokens": ["b"]}},
}


@pytest.mark.parametrize(
    ("model", "rest"),
    [({"continuing_subword_prefix": "##"}, {}), ({}, {"post_processor": TEMPLATE})],
    ids=["on building", "on encoding"],
)
def test_a_panic_of_the_library_is_an_error_and_prints_nothing(capfd, model, rest):
    pairs = {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": [["a", "b"]], **model}
    text = json.dumps({"version": "1.0", "added_tokens": [], "model": pairs, **rest})
    with pytest.raises(DataError, match="cannot work with this"):
        ImportedTokenizer(text)
    assert capfd.readouterr().err == ""
