"""Imported language models score and write as the library they come from does."""

import json
from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch
from tests.oracles import scramble
from tests.unit.interop.conftest import gpt2, llama, written
from tests.unit.interop.test_gguf import write
from tokenizers import Tokenizer as Library
from tokenizers import decoders, models, pre_tokenizers, processors, trainers
from transformers import AutoTokenizer, PreTrainedTokenizerFast

from dragoman.config.batches import BatchSettings
from dragoman.config.sampling import SamplingSettings
from dragoman.config.training import ObjectiveSettings
from dragoman.core.errors import DataError
from dragoman.data.batching.chunks import ChunkStream
from dragoman.data.batching.text_store import TextStore
from dragoman.data.corpus.held_out_texts import load_held_out_texts
from dragoman.data.tokenizer.special_tokens import SpecialTokens
from dragoman.engine.checkpoint.metrics_log import read_log
from dragoman.interop.exporting import export_huggingface
from dragoman.interop.importing import import_gguf, import_huggingface
from dragoman.tasks.language_model.evaluate import evaluate_texts, score_documents
from dragoman.tasks.language_model.language_model import LanguageModel
from dragoman.tasks.language_model.objective import NextTokenObjective
from dragoman.tasks.missing_word import WordFinder
from dragoman.trainer import train

TEXTS = ["the king sings", "a cat\n\n\nthe dog 44", "", "Zoë √", "the the the the the the sings"]
PROMPTS = ["the", "a king and the\n\ncat", "", "the dog sings the dog"]
GREEDY = SamplingSettings(temperature=0.0, max_tokens=9)


def learned(*marks):
    """Learn byte-level pieces, of which one is two newlines."""
    library = Library(models.BPE())
    library.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    library.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=len(marks) + 270,
        special_tokens=list(marks),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    library.train_from_iterator(["the king sings\n\n", "the cat\n\n", "the dog"] * 3, trainer)
    return library


def from_gpt2(folder):
    """No padding, and one mark before and after a text."""
    library = learned("<|endoftext|>")
    theirs = written(lambda: gpt2(vocab_size=290, n_positions=40), folder)
    library.save(str(folder / "tokenizer.json"))
    marks = dict.fromkeys(("bos_token", "eos_token", "unk_token"), "<|endoftext|>")
    (folder / "tokenizer_config.json").write_text(json.dumps(marks))
    import_huggingface(folder, folder / "run")
    unused = tuple(range(library.get_vocab_size(), 290))  # rows of the table without a word
    return (
        theirs,
        AutoTokenizer.from_pretrained(folder),
        SpecialTokens(0, 0, 0, 0, frozenset(unused), unused),
    )


def from_llama(folder):
    """A tokenizer that puts <s> before a text, and fills up with what ends one."""
    library = learned("<unk>", "<s>", "</s>")
    library.post_processor = processors.TemplateProcessing(
        single="<s> $A", special_tokens=[("<s>", 1)]
    )
    words = library.get_vocab_size()
    theirs = written(lambda: llama(vocab_size=words, num_key_value_heads=2), folder)
    library.save(str(folder / "tokenizer.json"))
    marks = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "pad_token": "</s>"}
    (folder / "tokenizer_config.json").write_text(json.dumps(marks))
    import_huggingface(folder, folder / "run")
    tokenizer = AutoTokenizer.from_pretrained(folder)
    assert tokenizer("the").input_ids[0] == 1
    return theirs, tokenizer, SpecialTokens(2, 1, 2, 2, frozenset((0,)), (0,))


def from_gguf(folder):
    """As SmolLM2: the named start is that of a chat, and plain texts are parted by another."""
    library = learned("<|endoftext|>", "<|im_start|>", "<|im_end|>")
    known = json.loads(library.to_str())["model"]
    pieces = sorted(known["vocab"], key=known["vocab"].get)

    def words(writer):
        writer.add_tokenizer_model("gpt2")
        writer.add_tokenizer_pre("gpt-2")
        writer.add_token_list(pieces)
        writer.add_token_merges([" ".join(pair) for pair in known["merges"]])
        writer.add_token_types([3, 3, 3, *[1] * (len(pieces) - 3)])
        writer.add_bos_token_id(1)
        writer.add_eos_token_id(2)
        writer.add_unk_token_id(0)
        writer.add_pad_token_id(2)
        writer.add_add_bos_token(False)

    shape = {"hidden_size": 32, "num_attention_heads": 4, "num_key_value_heads": 2}
    torch.manual_seed(3)
    theirs = scramble(llama(**shape, intermediate_size=64, vocab_size=len(pieces))).eval()
    write(folder / "m.gguf", theirs, words=words)
    import_gguf(folder / "m.gguf", folder / "run")
    return (
        theirs,
        PreTrainedTokenizerFast(tokenizer_object=library),
        SpecialTokens(2, 0, 2, 2, frozenset((1,)), (1,)),
    )


@pytest.fixture(scope="module", params=[from_gpt2, from_llama, from_gguf])
def imported(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("theirs")
    theirs, tokenizer, marks = request.param(folder)
    run = folder / "run"
    writer = LanguageModel.load(run, device="cpu")
    return SimpleNamespace(
        run=run,
        theirs=theirs,
        tokenizer=tokenizer,
        special_tokens=marks,
        writer=writer,
        folder=folder,
    )


def cut(there, text):
    return there.tokenizer(text, add_special_tokens=False).input_ids


@torch.no_grad()
def their_log_probabilities(there, text):
    row = [there.special_tokens.start, *cut(there, text), there.special_tokens.end]
    scores = there.theirs(input_ids=torch.tensor([row[:-1]])).logits[0].log_softmax(dim=-1)
    return scores.gather(1, torch.tensor(row[1:])[:, None]).squeeze(1).tolist()


@torch.no_grad()
def their_text(there, prompt, longest):
    """Let transformers go on greedily; nothing that is no text may come."""
    marks = there.special_tokens
    row = torch.tensor([[marks.start, *cut(there, prompt)]])
    found = there.theirs.generate(
        row,
        attention_mask=torch.ones_like(row),
        do_sample=False,
        max_new_tokens=longest,
        eos_token_id=sorted(marks.ends),
        pad_token_id=marks.end,
        suppress_tokens=list(marks.never) or None,
    )[0, row.shape[1] :].tolist()
    said = [number for number in found if number not in marks.ends]
    return there.tokenizer.decode([*cut(there, prompt), *said])[len(prompt) :]


def test_a_models_own_marks_are_found(imported):
    assert imported.writer.special_tokens == imported.special_tokens


def test_scores_are_those_of_transformers_token_by_token(imported):
    for text, one in zip(TEXTS, imported.writer.score(TEXTS), strict=True):
        wanted = their_log_probabilities(imported, text)
        assert list(one.log_probabilities) == pytest.approx(wanted, abs=1e-4)
        assert one.bytes == len(text.encode())
    pieces = imported.writer.score(["a\n\n\nthe"])[0].pieces
    assert pieces[1] == "ĊĊ"  # lines are not cut apart


def test_greedy_texts_of_prompts_of_any_length_are_those_of_transformers(imported):
    wanted = [their_text(imported, prompt, GREEDY.max_tokens) for prompt in PROMPTS]
    assert len(set(wanted)) > 1
    assert imported.writer.generate(PROMPTS, GREEDY) == wanted


@pytest.mark.parametrize("penalty", [1.0, 1.8])
def test_a_text_does_not_depend_on_those_beside_it(imported, penalty):
    settings = GREEDY.model_copy(update={"repetition_penalty": penalty})
    alone = [imported.writer.generate([prompt], settings)[0] for prompt in PROMPTS]
    assert imported.writer.generate(PROMPTS, settings) == alone
    for text, one in zip(TEXTS, imported.writer.score(TEXTS), strict=True):
        (own,) = imported.writer.score([text])
        assert own.log_probabilities == pytest.approx(one.log_probabilities, abs=1e-5)


def test_a_short_prompt_goes_on_to_the_last_position_beside_a_long_one(tmp_path):
    from_gpt2(tmp_path)
    writer = LanguageModel.load(tmp_path / "run")
    settings = SamplingSettings(temperature=0.0, max_tokens=60, min_tokens=60)
    prompts = ["a", "z" * 38]
    together = writer.generate(prompts, settings)
    assert together == [writer.generate([prompt], settings)[0] for prompt in prompts]
    with pytest.raises(DataError, match="knows 40 positions"):
        writer.generate(["a", "z" * 40], settings)


@pytest.mark.parametrize("packed", [True, False])
def test_the_loss_is_the_same_whatever_fills_the_rows_up(imported, packed):
    writer, ids = imported.writer, [cut(imported, text) for text in TEXTS]
    store = TextStore.of([[row] for row in ids], writer.tokenizer.newline)
    task = NextTokenObjective(writer.model, ObjectiveSettings(label_smoothing=0.0))
    wanted = -sum(one.total for one in writer.score(TEXTS))
    for padding in (imported.special_tokens.end, 7):
        own = imported.special_tokens
        marks = replace(own, padding=padding)
        settings = BatchSettings(max_tokens=64, max_length=32)
        stream = ChunkStream(store, settings, 1, packed=packed, special=marks)
        plan = stream.plan(0)
        batches = [stream.batch(plan, number, 0) for number in range(len(plan))]
        assert any((batch.documents == 0).any() for batch in batches)
        assert sum(map(task.denominator, batches)) == sum(map(len, ids)) + len(ids)
        with torch.inference_mode():
            nats = sum(float(task.loss(batch, torch.device("cpu")).nats) for batch in batches)
        assert nats == pytest.approx(wanted, abs=1e-3)


def test_what_is_exported_and_imported_again_scores_and_writes_the_same(imported, tmp_path):
    export_huggingface(imported.run, tmp_path / "back")
    import_huggingface(tmp_path / "back", tmp_path / "again")
    again = LanguageModel.load(tmp_path / "again", device="cpu")
    assert again.special_tokens == imported.special_tokens
    assert again.generate(PROMPTS, GREEDY) == imported.writer.generate(PROMPTS, GREEDY)
    for one, other in zip(again.score(TEXTS), imported.writer.score(TEXTS), strict=True):
        assert one.pieces == other.pieces
        assert one.log_probabilities == pytest.approx(other.log_probabilities, abs=1e-5)


def test_a_run_can_start_from_it_and_is_judged_alike_in_training_and_after(imported, tmp_path):
    lines = [f"the king {n} sings\nthe cat {n * n}" for n in range(30)]
    (tmp_path / "text.txt").write_text("\n\n".join(lines) + "\n")
    (tmp_path / "more.toml").write_text(
        "name = 'more'\n[task]\nkind = 'language-model'\n"
        "[corpus]\nkind = 'text'\ntrain = 'text.txt'\n"
        f"[batches]\nmax_tokens = 64\nmax_length = 32\n[start]\nfrom = '{imported.run}'\n"
        "method = 'lora'\nrank = 2\n[objective]\nlabel_smoothing = 0.0\n"
        "[optimizer]\nlearning_rate = 0.02\n[schedule]\n"
        "kind = 'constant'\nwarmup_steps = 0\n[training]\nsteps = 12\nthreads = 1\ndevice = 'cpu'\n"
        "validate_every = 12\nlog_every = 12\n"
    )
    train(tmp_path / "more.toml", folder=tmp_path / "more")
    held_out = load_held_out_texts(tmp_path / "more" / "data").valid
    writer = LanguageModel.load(tmp_path / "more", device="cpu")
    assert writer.special_tokens == imported.special_tokens
    after = score_documents(writer, held_out, "valid")
    (row,) = [r for r in read_log(tmp_path / "more" / "metrics.jsonl") if "bits_per_byte" in r]
    assert row["bits_per_byte"] == pytest.approx(after.bits_per_byte, rel=1e-4)
    before = score_documents(imported.writer, held_out, "valid")
    assert after.bits_per_byte < before.bits_per_byte
    document = "\n".join(held_out[0])
    (scored,) = writer.score([document])
    assert len(scored.pieces) == len(cut(imported, document)) + 1


def test_it_is_tested_on_files_and_keeps_its_card(imported, tmp_path):
    (tmp_path / "text.txt").write_text("the king\nsings\n\na cat\n")
    card = (imported.run / "card.md").read_text()
    (judged,) = evaluate_texts(imported.run, [tmp_path / "text.txt"])
    texts = ["the king\nsings", "a cat"]
    nats = -sum(sum(their_log_probabilities(imported, text)) for text in texts)
    assert judged.nats_per_token * judged.tokens == pytest.approx(nats, abs=1e-3)
    assert (judged.documents, judged.bytes) == (2, sum(map(len, texts)))
    assert (imported.run / "card.md").read_text() == card
    with pytest.raises(DataError, match="imported without any text"):
        evaluate_texts(imported.run)


def test_the_missing_word_is_one_of_its_words(imported):
    for found in WordFinder(imported.writer).find("the king the cat", 3):
        assert found.word
        assert found.word == found.word.strip()
        assert found.text.split() != ["the", "king", "the", "cat"]
