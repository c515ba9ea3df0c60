"""Marian and PEGASUS, as transformers writes them, are translators here: the same scores, tokens,
losses and texts.
"""

import json
from copy import deepcopy
from types import SimpleNamespace

import pytest
import torch
from safetensors.torch import load_file, save_file
from tests.oracles import scramble
from tokenizers import Tokenizer as Library
from tokenizers import models, pre_tokenizers
from transformers import MarianConfig, MarianMTModel, PegasusConfig, PegasusForConditionalGeneration

from dragoman.config.reading import read_recipe
from dragoman.core.errors import CheckpointError, ConfigError, DataError
from dragoman.data.tokenizer.special_tokens import END, PAD, START, UNKNOWN
from dragoman.engine.checkpoint.metrics_log import read_log
from dragoman.interop.importing import import_huggingface
from dragoman.interop.proof import ProofSentences, prove
from dragoman.tasks.translation.bare_translator import BareTranslator
from dragoman.trainer import train

SHAPE = {
    "vocab_size": 40,
    "d_model": 12,
    "encoder_layers": 1,
    "decoder_layers": 2,
    "encoder_attention_heads": 3,
    "decoder_attention_heads": 2,
    "encoder_ffn_dim": 20,
    "decoder_ffn_dim": 14,
    "max_position_embeddings": 64,
    "dropout": 0.0,
    "forced_eos_token_id": None,
}
LAST = {"pad_token_id": 39, "eos_token_id": 0, "decoder_start_token_id": 39}
"""As OPUS models have it: padding comes last, and the decoder begins with it."""


def marian(**changes):
    return MarianMTModel(MarianConfig(**{**SHAPE, **LAST, **changes}))


def pegasus(**changes):
    return PegasusForConditionalGeneration(PegasusConfig(**{**SHAPE, **changes}))


TWO = {"share_encoder_decoder_embeddings": False}
CASES = {
    "Marian": marian,
    "Marian, swish, scaled": lambda: marian(activation_function="swish", scale_embedding=True),
    "Marian, a table for each side": lambda: marian(**TWO, decoder_vocab_size=40),
    "Marian, two vocabularies": lambda: marian(**TWO, decoder_vocab_size=43),
    "Marian, three tables": lambda: marian(tie_word_embeddings=False, activation_function="relu"),
    "Marian, a start of its own": lambda: marian(decoder_start_token_id=38),
    "PEGASUS": pegasus,
    "PEGASUS, three tables, scaled": lambda: pegasus(
        tie_word_embeddings=False, scale_embedding=True, activation_function="relu"
    ),
}


def shaken(build):
    """Build a network whose weights are far from their first values, biases of words included."""
    torch.manual_seed(11)
    theirs = scramble(build()).eval()
    with torch.no_grad():
        for side in (theirs.model.encoder, theirs.model.decoder):
            side.embed_positions.weight.copy_(side.embed_positions.create_weight())
        theirs.final_logits_bias.normal_()
    return theirs


def names(config, size):
    """Return the words of a vocabulary, with its marks where the network has them."""
    words = [f"w{n}" for n in range(size)]
    words[config.eos_token_id], words[config.pad_token_id] = "</s>", "<pad>"
    words[5] = "<unk>"
    return words


def put_tokenizer(folder, words):
    library = Library(models.WordLevel({w: n for n, w in enumerate(words)}, unk_token="<unk>"))
    library.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    library.add_special_tokens(["</s>", "<pad>", "<unk>"])
    folder.mkdir(exist_ok=True)
    library.save(str(folder / "tokenizer.json"))


def written(theirs, folder):
    """Let transformers write a network; put a tokenizer beside it, or one for each side."""
    theirs.save_pretrained(folder)
    config = theirs.config
    put_tokenizer(folder, names(config, config.vocab_size))
    more = getattr(config, "decoder_vocab_size", None) or config.vocab_size
    if more != config.vocab_size:
        put_tokenizer(folder / "target", names(config, more))
    return more


@pytest.fixture(scope="module", params=CASES.values(), ids=CASES.keys())
def case(request, tmp_path_factory):
    """Give a network of theirs and the run that was made of it. Do not change either."""
    folder = tmp_path_factory.mktemp("theirs")
    theirs = shaken(request.param)
    target_size = written(theirs, folder)
    import_huggingface(folder, folder / "run")
    ours = BareTranslator.load(folder / "run", device="cpu")
    sides = names(theirs.config, theirs.config.vocab_size), names(theirs.config, target_size)
    numbers = [
        torch.tensor([vocabulary.ids[name] for name in words])
        for vocabulary, words in zip(
            (ours.tokenizer.source, ours.tokenizer.target), sides, strict=True
        )
    ]
    return SimpleNamespace(theirs=theirs, ours=ours, sides=sides, numbers=numbers, folder=folder)


def some(case, side, shape, seed):
    """Draw words of a side, in their numbers."""
    plain = [n for n, name in enumerate(case.sides[side]) if name.startswith("w")]
    drawn = torch.randint(len(plain), shape, generator=torch.Generator().manual_seed(seed))
    return torch.tensor(plain)[drawn]


def sources(case):
    read = some(case, 0, (4, 9), 3)
    read[:, -1] = case.theirs.config.eos_token_id
    read[1, 5], read[1, 6:] = case.theirs.config.eos_token_id, case.theirs.config.pad_token_id
    return read


@torch.no_grad()
def test_an_imported_translator_gives_their_probabilities(case):
    config, (source, target) = case.theirs.config, case.numbers
    read, write = sources(case), some(case, 1, (4, 7), 4)
    begun = torch.cat((torch.full((4, 1), config.decoder_start_token_id), write), dim=1)
    wanted = case.theirs(
        input_ids=read,
        attention_mask=read.ne(config.pad_token_id).long(),
        decoder_input_ids=begun,
    ).logits
    ours = torch.cat((torch.full((4, 1), START), target[write]), dim=1)
    found = case.ours.model(source[read], ours)
    assert wanted.std() > 0.3
    torch.testing.assert_close(found[..., target], wanted, atol=1e-5, rtol=1e-5)
    likely = found.log_softmax(-1)[..., target]
    torch.testing.assert_close(likely, wanted.log_softmax(-1), atol=1e-5, rtol=1e-5)


def theirs_for(case, theirs):
    """Return what translates with their network, and tells our numbers."""
    config, (_, target) = case.theirs.config, case.numbers

    def written_by_theirs(text, beam):
        read = [case.sides[0].index(word) for word in text.split()]
        written = theirs.generate(
            input_ids=torch.tensor([[*read, config.eos_token_id]]),
            num_beams=beam,
            max_length=2 * (len(read) + 1) + 20 + 1,
            suppress_tokens=sorted({config.pad_token_id, config.decoder_start_token_id, 5}),
            early_stopping="never" if beam > 1 else False,
            do_sample=False,
        )[0, 1:].tolist()
        ends = written.index(config.eos_token_id) if config.eos_token_id in written else None
        return target[written[:ends]].tolist()

    return lambda texts, beam: [written_by_theirs(text, beam) for text in texts]


SOME = ProofSentences("some", ["w7 w8 w9", "w30 w21", "w6", "w33 w12 w13 w9"], None)


def test_a_greedy_search_comes_to_the_same_tokens(case):
    """With a beam, theirs fills the place of one that ended at once, and may find better."""
    compared = prove(case.ours, theirs_for(case, case.theirs), SOME, engine="x", beams=(1, 3))
    greedy, searched = compared.compared
    assert greedy.identical == len(SOME.sources)
    assert searched.faults(len(SOME.sources)) == 0


def test_beams_in_which_nothing_ends_are_the_same(case):
    theirs, loaded = deepcopy(case.theirs), case.ours
    ours = BareTranslator(
        deepcopy(loaded.model),
        loaded.tokenizer,
        loaded.decoding,
        longest=loaded.longest,
        device=loaded.device,
        corpus=loaded.corpus,
    )
    with torch.no_grad():
        theirs.final_logits_bias[0, theirs.config.eos_token_id] -= 50
        ours.model.output.bias[END] -= 50
    searched = prove(ours, theirs_for(case, theirs), SOME, engine="x", beams=(3,)).compared[0]
    assert searched.identical == len(SOME.sources)


def test_the_marks_have_our_numbers_and_text_keeps_its_words(case):
    for vocabulary in (case.ours.tokenizer.source, case.ours.tokenizer.target):
        assert (vocabulary.pad, vocabulary.unknown) == (PAD, UNKNOWN)
        assert (vocabulary.start, vocabulary.end) == (START, END)
        numbers = vocabulary.encode("w7 w8 nothing w11")
        assert [vocabulary.pieces[n] for n in numbers] == ["w7", "w8", "<unk>", "w11"]
        assert vocabulary.decode([START, *numbers, END, PAD]) == "w7 w8 <unk> w11"


def test_how_to_search_is_what_their_generation_file_says(tmp_path):
    written(shaken(marian), tmp_path / "theirs")
    told = {"num_beams": 6, "length_penalty": 0.6, "no_repeat_ngram_size": 3}
    path = tmp_path / "theirs" / "generation_config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **told}))
    import_huggingface(tmp_path / "theirs", tmp_path / "run")
    recipe = read_recipe(tmp_path / "run" / "recipe.toml")
    assert recipe.task.kind == "translation"
    decoding = recipe.decoding
    assert (decoding.beam, decoding.length_penalty, decoding.no_repeat_ngram) == (6, 0.6, 3)
    assert decoding.loop_guard == 0


RECIPE = """
name = "further"
[start]
from = "run"
[corpus]
train = "pairs.tsv"
valid = "valid.tsv"
test = "valid.tsv"
examine = false
[batches]
max_tokens = 100000
[objective]
label_smoothing = 0.0
[training]
steps = 3
threads = 1
device = "cpu"
log_every = 1
validate_every = 3
"""


@pytest.mark.parametrize("build", [marian, pegasus])
def test_training_goes_on_from_their_loss(build, tmp_path):
    theirs = shaken(build)
    written(theirs, tmp_path / "theirs")
    import_huggingface(tmp_path / "theirs", tmp_path / "run")
    pairs = [(f"w{n} w{n + 9} w7", f"w{n + 3} w{n + 1}") for n in range(6, 28)]
    (tmp_path / "pairs.tsv").write_text("".join(f"{s}\t{t}\n" for s, t in pairs))
    (tmp_path / "valid.tsv").write_text("w9 w9\tw8 w8\nw8 w9\tw8 w9\n")
    (tmp_path / "further.toml").write_text(RECIPE)
    train(tmp_path / "further.toml", folder=tmp_path / "further")
    losses = [row["loss"] for row in read_log(tmp_path / "further" / "metrics.jsonl")]
    words, end = names(theirs.config, 40), theirs.config.eos_token_id
    read, write = (
        torch.tensor([[*map(words.index, pair[side].split()), end] for pair in pairs])
        for side in (0, 1)
    )
    with torch.no_grad():
        wanted = theirs(input_ids=read, labels=write).loss.item()
    assert losses[0] == pytest.approx(wanted, abs=1e-4)
    assert losses[2] < losses[0]


def test_an_imported_run_translates_on_the_command_line(dragoman, tmp_path):
    written(shaken(marian), tmp_path / "theirs")
    assert dragoman("import", "huggingface", tmp_path / "theirs", "--to", tmp_path / "run")[0] == 0
    (tmp_path / "text.txt").write_text("w7 w9 w11\n")
    code, out, _ = dragoman("translate", tmp_path / "run", tmp_path / "text.txt", "--output", "-")
    assert code == 0
    assert out.strip()
    assert set(out.split()) <= {f"w{n}" for n in range(40)}


def test_positions_that_were_changed_are_refused(tmp_path):
    written(shaken(pegasus), tmp_path / "theirs")
    path = tmp_path / "theirs" / "model.safetensors"
    tensors = load_file(path)
    tensors["model.encoder.embed_positions.weight"][3, 3] += 1
    save_file(tensors, path, metadata={"format": "pt"})
    with pytest.raises(ConfigError, match="other positions than sines and cosines"):
        import_huggingface(tmp_path / "theirs", tmp_path / "run")


@pytest.mark.parametrize("lost", ["model.shared.weight", "model.decoder.layers.1.fc2.bias"])
def test_a_tensor_that_is_missing_is_named(lost, tmp_path):
    written(shaken(marian), tmp_path / "theirs")
    path = tmp_path / "theirs" / "model.safetensors"
    tensors = load_file(path)
    del tensors[lost]
    save_file(tensors, path, metadata={"format": "pt"})
    with pytest.raises(CheckpointError, match=lost.removeprefix("model.")):
        import_huggingface(tmp_path / "theirs", tmp_path / "run")


def test_two_vocabularies_need_two_tokenizers(tmp_path):
    written(shaken(lambda: marian(**TWO, decoder_vocab_size=43)), tmp_path / "theirs")
    (tmp_path / "theirs" / "target" / "tokenizer.json").unlink()
    (tmp_path / "theirs" / "target").rmdir()
    with pytest.raises(DataError, match="Put that of the target into"):
        import_huggingface(tmp_path / "theirs", tmp_path / "run")


def test_a_setting_that_we_do_not_have_is_named(tmp_path):
    written(shaken(marian), tmp_path / "theirs")
    path = tmp_path / "theirs" / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "normalize_embedding": True}))
    with pytest.raises(ConfigError, match="normalize_embedding = True"):
        import_huggingface(tmp_path / "theirs", tmp_path / "run")
