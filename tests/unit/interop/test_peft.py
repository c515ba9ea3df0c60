"""peft on the networks of transformers with our weights: what our adapters must agree with."""

import json

import pytest
import torch
from peft import LoraConfig, PeftModel, PrefixTuningConfig, get_peft_model
from safetensors.torch import load_file, save_file
from tests.oracles import copy, marian_with_weights_of
from tests.unit.neural.models.test_oracles_decoders import gpt2, llama
from tests.unit.neural.models.test_oracles_encoders import bert_config, copy_body, roberta_config
from tests.unit.neural.models.test_oracles_encoders import encoder as bert_like
from tests.unit.neural.models.test_oracles_t5 import both as t5
from tests.unit.neural.models.test_transformer import model as translator
from transformers import BertForSequenceClassification, RobertaForSequenceClassification

from dragoman.config.start import LoraStart, PrefixStart
from dragoman.core.errors import CheckpointError
from dragoman.interop.peft.lora import read_peft_lora, write_peft_lora
from dragoman.interop.peft.prefix import read_peft_prefix, write_peft_prefix
from dragoman.neural.adapt.lora import apply_lora, lora_matrices
from dragoman.neural.adapt.parts import trainable_parameters
from dragoman.neural.adapt.prefix import apply_prefix, prefixed_attentions

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning:peft")

TEXT = torch.randint(4, 30, (3, 7), generator=torch.Generator().manual_seed(4))
LENGTHS = (7, 4, 2)
for _row, _length in enumerate(LENGTHS):
    TEXT[_row, _length:] = 0
SEEN = TEXT.ne(0)
WRITTEN = torch.randint(4, 30, (3, 5), generator=torch.Generator().manual_seed(5))
ALL = ("query", "key", "value", "output", "inner", "outer")


def marian():
    ours = translator(norm="post", positions="sinusoidal-halves")
    return ours, marian_with_weights_of(ours)


def bert():
    ours = bert_like("even", segments=2, pooler=True, norm_epsilon=1e-12, classes=3)
    theirs = BertForSequenceClassification(bert_config(ours.settings)).eval()
    copy_body(ours, theirs.bert)
    copy(ours.pooler, theirs.bert.pooler.dense)
    copy(ours.classes_head, theirs.classifier)
    return ours, theirs


def roberta():
    ours = bert_like("even", segments=1, pooler=True, norm_epsilon=1e-5, classes=3)
    theirs = RobertaForSequenceClassification(roberta_config(ours.settings)).eval()
    copy_body(ours, theirs.roberta)
    copy(ours.pooler, theirs.classifier.dense)
    copy(ours.classes_head, theirs.classifier.out_proj)
    return ours, theirs


FAMILIES = {
    "gpt2": (gpt2, ALL),
    "llama": (llama, (*ALL, "gate")),
    "marian": (marian, ALL),
    "t5": (lambda: t5("relu"), ALL),
    "t5-gated": (lambda: t5("swiglu"), (*ALL, "gate")),
    "bert": (bert, ALL),
    "roberta": (roberta, ALL),
}
EVERY = pytest.mark.parametrize("name", FAMILIES)


def ours_of(model, name):
    """Return our scores where they are asked for."""
    match name:
        case "gpt2" | "llama":
            return model.output(model.read(TEXT))[SEEN]
        case "bert" | "roberta":
            return model.classify(TEXT)
        case _:
            return model(TEXT, WRITTEN)


def theirs_of(model, name):
    match name:
        case "gpt2" | "llama":
            return model(input_ids=TEXT, attention_mask=SEEN.long()).logits[SEEN]
        case "bert":
            return model(input_ids=TEXT, attention_mask=SEEN.long()).logits
        case "roberta":  # counts positions from the padding that it knows
            places = torch.arange(2, 9).expand(3, 7)
            seen = SEEN.long()
            return model(input_ids=TEXT, attention_mask=seen, position_ids=places).logits
        case _:
            seen = SEEN.long()
            return model(input_ids=TEXT, attention_mask=seen, decoder_input_ids=WRITTEN).logits


def close(ours, theirs):
    torch.testing.assert_close(ours, theirs, atol=3e-4, rtol=1e-3)


@torch.no_grad()
def adapted(model, targets, new=()):
    """Adapt ours as if it had learned something."""
    torch.manual_seed(6)
    apply_lora(model, LoraStart(run="base", rank=3, alpha=2.0, target_modules=targets), new)
    for matrix in lora_matrices(model).values():
        matrix.up.weight.normal_(std=0.3)
    return model


@EVERY
@pytest.mark.parametrize("targets", [("query", "value"), None], ids=["query and value", "all"])
def test_peft_reads_our_lora(tmp_path, name, targets):
    build, every = FAMILIES[name]
    ours, theirs = build()
    plain = ours_of(ours, name).detach()
    adapted(ours, targets or every)
    write_peft_lora(tmp_path, ours, name)
    wanted = ours_of(ours, name)
    assert (wanted - plain).abs().max() > 0.01
    close(theirs_of(PeftModel.from_pretrained(theirs, tmp_path).eval(), name), wanted)


@EVERY
def test_we_read_the_lora_of_peft(tmp_path, name):
    build, _ = FAMILIES[name]
    ours, theirs = build()
    saved = their_lora(theirs, tmp_path)
    read_peft_lora(tmp_path, ours, name)
    close(ours_of(ours, name), theirs_of(saved, name))
    assert set(trainable_parameters(ours)) >= {f"{n}.down.weight" for n in lora_matrices(ours)}


def their_lora(theirs, folder, **changes):
    """Let peft adapt every matrix of the layers and store what it might have learned."""
    every = [n for n, part in theirs.named_modules() if is_matrix(n, part)]
    torch.manual_seed(7)
    config = LoraConfig(**{"r": 4, "lora_alpha": 6, "target_modules": every, **changes})
    saved = get_peft_model(theirs, config).eval()
    with torch.no_grad():
        for full, weight in saved.named_parameters():
            if "lora_B" in full:
                weight.normal_(std=0.3)
    saved.save_pretrained(folder)
    return saved


def is_matrix(name, part):
    inside = any(word in name for word in (".h.", ".layers.", ".layer.", "block."))
    return inside and type(part).__name__ in ("Linear", "Conv1D")


THEIR_NAMES = {
    "llama": ("layers.1.attention.value", "model.layers.1.self_attn.v_proj"),
    "marian": ("decoder.0.source_attention.query", "model.decoder.layers.0.encoder_attn.q_proj"),
    "bert": ("layers.0.attention.query", "bert.encoder.layer.0.attention.self.query"),
}


@pytest.mark.parametrize("name", THEIR_NAMES)
def test_the_gradients_of_a_and_b_are_those_of_peft(tmp_path, name):
    build, _ = FAMILIES[name]
    ours, theirs = build()
    adapted(ours, ("query", "value"))
    write_peft_lora(tmp_path, ours, name)
    other = PeftModel.from_pretrained(theirs, tmp_path, is_trainable=True).eval()
    ours_of(ours, name).pow(2).sum().backward()
    theirs_of(other, name).pow(2).sum().backward()
    mine, its = THEIR_NAMES[name]
    found = lora_matrices(ours)[mine]
    wanted = other.base_model.model.get_submodule(its)
    for one, same in ((found.down, wanted.lora_A), (found.up, wanted.lora_B)):
        gradient = same["default"].weight.grad
        assert gradient.abs().max() > 1e-2
        torch.testing.assert_close(one.weight.grad, gradient, atol=2e-3, rtol=2e-3)
    assert found.weight.grad is None


def test_the_blocks_of_gpt2_have_our_gradients(tmp_path):
    """peft's B also has rows where a block of ours would touch another; those ours has not."""
    ours, theirs = gpt2()
    adapted(ours, ("query", "value"))
    write_peft_lora(tmp_path, ours, "gpt2")
    other = PeftModel.from_pretrained(theirs, tmp_path, is_trainable=True).eval()
    ours_of(ours, "gpt2").pow(2).sum().backward()
    theirs_of(other, "gpt2").pow(2).sum().backward()
    wanted = other.base_model.model.transformer.h[1].attn.c_attn
    a, b = (part["default"].weight.grad for part in (wanted.lora_A, wanted.lora_B))
    query, value = ours.layers[1].attention.query, ours.layers[1].attention.value
    found = torch.cat((query.down.weight.grad, value.down.weight.grad))
    torch.testing.assert_close(found, a, atol=2e-3, rtol=2e-3)
    torch.testing.assert_close(query.up.weight.grad, b[:24, :3], atol=2e-3, rtol=2e-3)
    torch.testing.assert_close(value.up.weight.grad, b[48:, 3:], atol=2e-3, rtol=2e-3)


@pytest.mark.parametrize("name", ["bert", "roberta"])
def test_a_trained_head_goes_along(tmp_path, name):
    build, _ = FAMILIES[name]
    ours, theirs = build()
    adapted(ours, ("query",), new=["classes_head"])
    with torch.no_grad():
        ours.classes_head.weight.normal_()
    write_peft_lora(tmp_path, ours, name)
    wanted = ours_of(ours, name)
    close(theirs_of(PeftModel.from_pretrained(theirs, tmp_path).eval(), name), wanted)
    again, _ = build()
    read_peft_lora(tmp_path, again, name)
    close(ours_of(again, name), wanted)
    assert "classes_head.weight" in trainable_parameters(again)


def test_we_read_the_head_that_peft_trained(tmp_path):
    ours, theirs = bert()
    torch.manual_seed(7)
    config = LoraConfig(task_type="SEQ_CLS", target_modules=["query"])
    saved = get_peft_model(theirs, config).eval()
    with torch.no_grad():
        for full, weight in saved.named_parameters():
            if "lora_B" in full or "modules_to_save" in full:
                weight.normal_()
    saved.save_pretrained(tmp_path)
    read_peft_lora(tmp_path, ours, "bert")
    close(ours_of(ours, "bert"), theirs_of(saved, "bert"))


def test_ranks_and_alphas_may_differ_from_module_to_module(tmp_path):
    ours, theirs = llama()
    changes = {
        "rank_pattern": {"v_proj": 2, "model.layers.1.mlp.up_proj": 5},
        "alpha_pattern": {"layers.0.self_attn.q_proj": 11},
        "use_rslora": True,
    }
    saved = their_lora(theirs, tmp_path, **changes)
    read_peft_lora(tmp_path, ours, "llama")
    close(ours_of(ours, "llama"), theirs_of(saved, "llama"))
    assert ours.layers[0].attention.value.rank == 2
    again, fresh = llama()
    write_peft_lora(tmp_path / "again", ours, "llama")
    read_peft_lora(tmp_path / "again", again, "llama")
    close(ours_of(again, "llama"), ours_of(ours, "llama"))
    close(
        theirs_of(PeftModel.from_pretrained(fresh, tmp_path / "again").eval(), "llama"),
        ours_of(ours, "llama"),
    )


def refused(folder, name="llama"):
    build, _ = FAMILIES[name]
    ours, _ = build()
    before = ours_of(ours, name)
    with pytest.raises(CheckpointError) as error:
        read_peft_lora(folder, ours, name)
    assert torch.equal(ours_of(ours, name), before)
    assert not lora_matrices(ours)
    return str(error.value)


def test_a_pickle_is_never_read(tmp_path):
    class Trap:
        def __reduce__(self):
            return (pytest.fail, ("the pickle was read",))

    torch.save(Trap(), tmp_path / "adapter_model.bin")
    (tmp_path / "adapter_config.json").write_text(json.dumps({"peft_type": "LORA"}))
    assert refused(tmp_path) == (
        f"{tmp_path}/adapter_model.bin: is a pickle, which can run a stranger's code when it is "
        "read. Where you trust it, let peft store it again: save_pretrained writes safetensors."
    )


def test_what_is_more_than_a_lora_is_refused(tmp_path):
    their_lora(llama()[1], tmp_path, use_dora=True)
    assert "goes beyond A and B (use_dora)" in refused(tmp_path)
    rewrite(tmp_path, use_dora=False)
    assert "lora_magnitude_vector [24] is neither A nor B of a LoRA" in refused(tmp_path)


def rewrite(folder, **told):
    path = folder / "adapter_config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | told))


@pytest.mark.parametrize("shape", [(), (3,), (0, 24), (4, 25), (4, 24, 1)])
def test_a_matrix_of_another_shape_is_refused(lora_folder, tmp_path, shape):
    for file in lora_folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    path = tmp_path / "adapter_model.safetensors"
    tensors = load_file(path)
    tensors["base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight"] = torch.ones(shape)
    save_file(tensors, path)
    assert str(path) in refused(tmp_path)


def test_an_adapter_of_another_network_is_refused(tmp_path):
    their_lora(gpt2()[1], tmp_path)
    assert "has no place in a llama network of ours" in refused(tmp_path)
    their_lora(llama(key_value_heads=1)[1], tmp_path / "one")
    assert "another shape than ours" in refused(tmp_path / "one")


WRONG = {
    "no number": ({"lora_alpha": "much"}, "lora_alpha: Input should be a valid number"),
    "another kind": ({"peft_type": "IA3"}, "is no LoRA, but 'IA3'"),
    "trained biases": ({"bias": "all"}, "goes beyond A and B (bias)"),
    "begun by changing W": (
        {"init_lora_weights": "pissa"},
        "goes beyond A and B (init_lora_weights)",
    ),
    "a pattern": ({"alpha_pattern": {"(a+)+$": 1}}, "'(a+)+$' is no plain name of a module"),
}


@pytest.fixture(scope="module")
def lora_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lora")
    their_lora(llama()[1], folder)
    return folder


@pytest.mark.parametrize(("told", "said"), WRONG.values(), ids=WRONG.keys())
def test_a_strange_configuration_is_refused(lora_folder, tmp_path, told, said):
    for file in lora_folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    rewrite(tmp_path, **told)
    assert said in refused(tmp_path)


def test_a_network_without_lora_has_none_to_store_and_an_adapted_one_takes_no_other(
    tmp_path, lora_folder
):
    ours, _ = llama()
    with pytest.raises(CheckpointError, match="has no LoRA that could be stored"):
        write_peft_lora(tmp_path, ours, "llama")
    read_peft_lora(lora_folder, ours, "llama")
    with pytest.raises(CheckpointError, match="has been adapted already"):
        read_peft_lora(lora_folder, ours, "llama")


def test_what_peft_has_no_place_for_is_not_left_out_quietly(tmp_path):
    ours, _ = llama()
    adapted(ours, ("query",), new=["output"])
    with pytest.raises(CheckpointError, match=r"peft has no place for output.weight"):
        write_peft_lora(tmp_path, ours, "llama")


@torch.no_grad()
def prefixed_ours(ours, length=3):
    torch.manual_seed(6)
    apply_prefix(ours, PrefixStart(run="base", length=length))
    for attention in prefixed_attentions(ours).values():
        for weight in attention.prefix.parameters():
            weight.normal_()
    return ours


def prefix_of_peft(theirs, length=3):
    torch.manual_seed(7)
    config = PrefixTuningConfig(task_type="CAUSAL_LM", num_virtual_tokens=length)
    return get_peft_model(theirs, config).eval()


@torch.no_grad()
def copy_prefix(ours, theirs, length=3):
    """Copy our keys and values to peft: for each position those of all layers, side by side."""
    pairs = [torch.stack(attention.prefix()) for attention in prefixed_attentions(ours).values()]
    table = torch.stack(pairs).permute(3, 0, 1, 2, 4)  # m layers 2 h k
    theirs.prompt_encoder["default"].embedding.weight.copy_(table.reshape(length, -1))


@torch.no_grad()
def test_a_prefix_of_gpt2_is_that_of_peft_where_texts_begin_at_nought():
    """peft adds m to the position_ids that it is given, so they begin at -m."""
    ours, theirs = gpt2()
    theirs = prefix_of_peft(theirs)
    copy_prefix(prefixed_ours(ours), theirs)
    places = torch.arange(7).expand(3, 7) - 3
    given = {"input_ids": TEXT, "attention_mask": SEEN.long()}
    found = ours_of(ours, "gpt2")
    close(found, theirs(**given, position_ids=places).logits[SEEN])
    assert (found - theirs(**given).logits[SEEN]).abs().max() > 0.01


@torch.no_grad()
def test_left_to_itself_peft_begins_a_text_behind_the_prefix():
    ours, theirs = gpt2()
    theirs = prefix_of_peft(theirs)
    copy_prefix(prefixed_ours(ours), theirs)
    table = ours.embedding.positions.table.weight
    table.copy_(table.roll(-3, 0))
    close(ours_of(ours, "gpt2"), theirs_of(theirs, "gpt2"))


def test_the_gradients_of_a_prefix_are_those_of_peft():
    ours, theirs = llama()
    theirs = prefix_of_peft(theirs)
    copy_prefix(prefixed_ours(ours), theirs)
    places = torch.arange(7).expand(3, 7) - 3
    given = {"input_ids": TEXT, "attention_mask": SEEN.long(), "position_ids": places}
    ours_of(ours, "llama").pow(2).sum().backward()
    theirs(**given).logits[SEEN].pow(2).sum().backward()
    gradient = theirs.prompt_encoder["default"].embedding.weight.grad.view(3, 2, 2, 2, 8)
    for number, layer in enumerate(ours.layers):
        keys, values = gradient[:, number].permute(1, 2, 0, 3)
        found = layer.attention.prefix
        assert keys.abs().max() > 1e-2
        torch.testing.assert_close(found.keys.grad, keys, atol=2e-3, rtol=2e-3)
        torch.testing.assert_close(found.values.grad, values, atol=2e-3, rtol=2e-3)


@torch.no_grad()
@pytest.mark.parametrize("key_value_heads", [2, 1])
def test_a_prefix_before_rotary_positions_goes_to_peft_and_back(tmp_path, key_value_heads):
    ours, theirs = llama(key_value_heads)
    write_peft_prefix(tmp_path, prefixed_ours(ours))
    wanted = ours_of(ours, "llama")
    close(theirs_of(PeftModel.from_pretrained(theirs, tmp_path).eval(), "llama"), wanted)
    again, _ = llama(key_value_heads)
    read_peft_prefix(tmp_path, again)
    close(ours_of(again, "llama"), wanted)


@torch.no_grad()
def test_we_read_the_prefix_of_peft(tmp_path):
    ours, theirs = llama()
    theirs = prefix_of_peft(theirs, length=5)
    theirs.save_pretrained(tmp_path)
    read_peft_prefix(tmp_path, ours)
    close(ours_of(ours, "llama"), theirs_of(theirs, "llama"))
    assert all(".prefix." in name for name in trainable_parameters(ours))


def test_a_prefix_that_would_be_met_by_other_texts_is_refused(tmp_path):
    ours, theirs = gpt2()
    prefix_of_peft(theirs).save_pretrained(tmp_path)
    with pytest.raises(CheckpointError, match="peft lets a text begin behind the prefix"):
        read_peft_prefix(tmp_path, ours)
    with pytest.raises(CheckpointError, match="peft lets a text begin behind the prefix"):
        write_peft_prefix(tmp_path / "ours", prefixed_ours(ours))


def test_a_prefix_of_another_shape_or_kind_is_refused(tmp_path, lora_folder):
    ours, theirs = llama(1)
    with pytest.raises(CheckpointError, match="is no prefix, but 'LORA'"):
        read_peft_prefix(lora_folder, ours)
    prefix_of_peft(llama(2)[1]).save_pretrained(tmp_path)
    with pytest.raises(CheckpointError, match="has another shape"):
        read_peft_prefix(tmp_path, ours)
