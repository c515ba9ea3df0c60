"""An imported network is a run: it opens, says where it comes from, and goes back."""

import json
from hashlib import sha256

import pytest
import torch
from tests.oracles import scramble
from tests.unit.interop.conftest import bert, gpt2, llama, roberta, t5
from tests.unit.interop.outputs import both_answers, built
from tests.unit.interop.test_gguf import LETTERS, MERGES, write
from tokenizers import Tokenizer as Library
from tokenizers import models, pre_tokenizers
from transformers import AutoTokenizer, GPT2LMHeadModel
from typer.testing import CliRunner

from dragoman.cli.import_ import app
from dragoman.config.reading import read_recipe
from dragoman.core.errors import ConfigError, DataError, RunError
from dragoman.data.tokenizer.imported import ImportedTokenizer
from dragoman.data.tokenizer.pair import TokenizerPair
from dragoman.engine.checkpoint.folder import trained_run
from dragoman.engine.checkpoint.weights import read_weights
from dragoman.interop.exporting import export_huggingface
from dragoman.interop.importing import ImportOptions, import_gguf, import_huggingface
from dragoman.interop.run import pad_vocabulary
from dragoman.trainer import train

WORDS = ["<s>", "<pad>", "</s>", "<unk>", *(f"w{n}" for n in range(20))]


def put_tokenizer(folder):
    library = Library(models.WordLevel({w: n for n, w in enumerate(WORDS)}, unk_token="<unk>"))
    library.pre_tokenizer = pre_tokenizers.Whitespace()
    library.add_special_tokens(WORDS[:4])
    library.save(str(folder / "tokenizer.json"))
    return library.to_str()


def opened(run):
    folder = trained_run(run)
    recipe, tokenizer = read_recipe(folder.recipe), TokenizerPair.load(folder.tokenizer)
    stored = read_weights(folder.model)
    return recipe, tokenizer, built(recipe.model, tokenizer.target.size, stored.tensors)


@pytest.mark.parametrize("build", [gpt2, llama, t5, bert, roberta])
def test_an_imported_folder_is_a_run_that_opens_and_gives_their_scores(build, checkpoint, tmp_path):
    there = checkpoint(build)
    put_tokenizer(there.folder)
    import_huggingface(there.folder, tmp_path / "run")
    recipe, tokenizer, ours = opened(tmp_path / "run")
    assert recipe.corpus.kind == "imported"
    assert tokenizer.target.size == there.theirs.config.vocab_size
    for found, wanted in both_answers(ours, there.theirs).values():
        torch.testing.assert_close(found, wanted, atol=1e-5, rtol=1e-5)


def test_a_card_says_what_was_imported_from_where(checkpoint, tmp_path):
    folder = checkpoint(gpt2).folder
    put_tokenizer(folder)
    (folder / "LICENSE").write_text("Do as you like.")
    (folder / "README.md").write_text("---\nlanguage: en\nlicense: mit\n---\n# A model\n")
    import_huggingface(folder, tmp_path / "run")
    card = (tmp_path / "run" / "card.md").read_text()
    digest = sha256((folder / "model.safetensors").read_bytes()).hexdigest()
    assert digest in card
    assert str(folder) in card
    assert "Licence: mit" in card
    assert (tmp_path / "run" / "LICENSE").read_text() == "Do as you like."
    assert read_recipe(tmp_path / "run" / "recipe.toml").corpus.sha256 == digest


def test_a_run_goes_back_with_its_tokenizer(checkpoint, tmp_path):
    there = checkpoint(gpt2)
    put_tokenizer(there.folder)
    import_huggingface(there.folder, tmp_path / "run")
    reader, with_tokenizer = export_huggingface(tmp_path / "run", tmp_path / "back")
    assert (reader, with_tokenizer) == ("GPT2LMHeadModel", True)
    again, told = GPT2LMHeadModel.from_pretrained(tmp_path / "back", output_loading_info=True)
    assert not told["missing_keys"]
    assert not told["unexpected_keys"]
    ids = AutoTokenizer.from_pretrained(tmp_path / "back")("w3 w5")["input_ids"]
    assert ids == [7, 9]
    read = torch.tensor([ids])
    with torch.no_grad():
        found, wanted = again.eval()(input_ids=read).logits, there.theirs(input_ids=read).logits
    torch.testing.assert_close(found, wanted, atol=1e-5, rtol=1e-5)


def test_a_gguf_file_becomes_a_run(tmp_path):
    def words(writer):
        writer.add_tokenizer_model("gpt2")
        writer.add_tokenizer_pre("gpt-2")
        writer.add_token_list(LETTERS)
        writer.add_token_merges(MERGES)
        writer.add_token_types([3, *[1] * (len(LETTERS) - 2), 4])
        writer.add_eos_token_id(0)

    shape = {"hidden_size": 32, "num_attention_heads": 4, "num_key_value_heads": 2}
    theirs = scramble(llama(**shape, intermediate_size=64, vocab_size=len(LETTERS))).eval()
    write(tmp_path / "m.gguf", theirs, words=words)
    import_gguf(tmp_path / "m.gguf", tmp_path / "run")
    recipe, tokenizer, ours = opened(tmp_path / "run")
    assert recipe.corpus.library == "gguf"
    assert tokenizer.target.words(tokenizer.target.encode("the the")) == ["the", "Ġthe"]
    for found, wanted in both_answers(ours, theirs).values():
        torch.testing.assert_close(found, wanted, atol=1e-5, rtol=1e-5)


def test_the_command_imports_with_permissions(checkpoint, tmp_path):
    folder = checkpoint(gpt2, strange=1).folder
    put_tokenizer(folder)
    asked = ["huggingface", str(folder), "--to", str(tmp_path / "run")]
    result = CliRunner().invoke(app, [*asked, "--ignore-setting", "strange"])
    assert result.exit_code == 0
    assert result.stdout.strip() == str(tmp_path / "run")


def test_a_folder_that_is_there_already_is_not_touched(checkpoint, tmp_path):
    (tmp_path / "run").mkdir()
    with pytest.raises(RunError, match="is there already"):
        import_huggingface(checkpoint(gpt2).folder, tmp_path / "run")


def test_nothing_is_left_where_an_import_fails(checkpoint, tmp_path):
    with pytest.raises(DataError, match=r"no tokenizer\.json"):
        import_huggingface(checkpoint(gpt2).folder, tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_tokenizer_may_lie_elsewhere_but_must_not_be_larger(checkpoint, tmp_path):
    folder = checkpoint(lambda: gpt2(vocab_size=11)).folder
    (tmp_path / "words").mkdir()
    put_tokenizer(tmp_path / "words")
    with pytest.raises(DataError, match="the tokenizer has 24 entries, but the network only 11"):
        import_huggingface(folder, tmp_path / "run", ImportOptions(tokenizer=tmp_path / "words"))


def test_rows_without_a_word_get_names_and_words_keep_their_numbers(tmp_path):
    before = ImportedTokenizer(put_tokenizer(tmp_path))
    after = pad_vocabulary(before, 29, "test")
    assert after.size == 29
    assert after.pieces[:24] == before.pieces
    assert len(set(after.pieces)) == 29
    assert after.encode("w1 w19 w20") == before.encode("w1 w19 w20")
    assert (after.start, after.pad, after.end) == (before.start, before.pad, before.end)
    assert json.loads(after.text)["model"] == json.loads(before.text)["model"]


def test_spans_do_not_know_imported_marks_and_are_refused(checkpoint, tmp_path):
    there = checkpoint(t5)
    put_tokenizer(there.folder)
    import_huggingface(there.folder, tmp_path / "run")
    (tmp_path / "more.toml").write_text(
        f"name = 'more'\n[task]\nkind = 'span-corruption'\n[corpus]\nkind = 'grammar-text'\n"
        f"sentences = 20\nheld_out = 5\n[start]\nfrom = '{tmp_path / 'run'}'\n"
    )
    with pytest.raises(ConfigError, match="start.from: .* was imported"):
        train(tmp_path / "more.toml", folder=tmp_path / "more")
