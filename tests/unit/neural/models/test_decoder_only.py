import pytest
import torch
from tests.oracles import scramble

from dragoman.config.decoder_only import DecoderOnlySettings
from dragoman.core.errors import ConfigError, DataError
from dragoman.neural.models.decoder_only import DecoderOnly

PAD, START, END, EOP = 0, 2, 3, 9
SMALL = {"width": 16, "heads": 4, "ffn_width": 24, "layers": 2, "dropout": 0.0}
SOURCE = torch.tensor([[10, 11, 12, END], [13, END, PAD, PAD], [14, 15, END, PAD]])
TARGET = torch.tensor([[START, 20, END, PAD], [START, 21, 22, END], [START, END, PAD, PAD]])


def model(**changes):
    torch.manual_seed(3)
    settings = DecoderOnlySettings(**{**SMALL, **changes})
    return scramble(DecoderOnly(settings, 30, 30, prompt_end=EOP)).eval()


def test_a_row_is_start_source_end_of_prompt_target_and_padding():
    assert model().pack(SOURCE, TARGET).tolist() == [
        [START, 10, 11, 12, EOP, 20, END, PAD],
        [START, 13, EOP, 21, 22, END, PAD, PAD],
        [START, 14, 15, EOP, END, PAD, PAD, PAD],
    ]


def test_packing_changes_neither_source_nor_target():
    source, target = SOURCE.clone(), TARGET.clone()
    model().pack(source, target)
    assert torch.equal(source, SOURCE)
    assert torch.equal(target, TARGET)


def test_training_on_the_target_asks_for_the_target():
    built = model().train()
    states, labels = built.scored(SOURCE, TARGET)
    assert torch.equal(labels, TARGET[:, 1:])
    torch.testing.assert_close(states, built.states(SOURCE, TARGET[:, :-1]))


def test_training_on_both_asks_for_all_that_follows_the_start_one_further_on():
    built = model(loss_on="both").train()
    states, labels = built.scored(SOURCE, TARGET)
    assert labels.tolist() == [
        [10, 11, 12, EOP, 20, END, PAD],
        [13, EOP, 21, 22, END, PAD, PAD],
        [14, 15, EOP, END, PAD, PAD, PAD],
    ]
    torch.testing.assert_close(states, built.read(built.pack(SOURCE, TARGET)[:, :-1]))


def test_evaluation_asks_for_the_target_only():
    _, labels = model(loss_on="both").eval().scored(SOURCE, TARGET)
    assert torch.equal(labels, TARGET[:, 1:])


def test_both_losses_agree_on_the_target():
    built = model(loss_on="both").train()
    states, labels = built.scored(SOURCE, TARGET)
    asked = built.states(SOURCE, TARGET)
    torch.testing.assert_close(states[0, 4:6], asked[0, :2])  # from the end of the prompt on
    torch.testing.assert_close(states[1, 2:5], asked[1, :3])
    assert labels[1, 2:5].tolist() == [21, 22, END]


def test_states_are_those_of_the_plain_text():
    built = model()
    states = built.states(SOURCE, TARGET)
    plain = built.read(torch.tensor([[START, 13, EOP, 21, 22, END]]))
    torch.testing.assert_close(states[1], plain[0, 2:])


def test_the_source_of_another_row_is_not_read_twice():
    """Beginning reads the source; each step then reads one token."""
    built, read = model(), []
    built.embedding.register_forward_hook(lambda _, inputs, __: read.append(inputs[0].shape))
    state = built.begin(SOURCE)
    for tokens in TARGET.unbind(1):
        _, state = built.step(tokens, state)
    assert read == [(3, 4)] + [(3, 1)] * 4


def test_the_first_token_of_a_target_is_read_as_the_end_of_the_prompt():
    built = model()
    any_token, _ = built.step(torch.tensor([START] * 3), built.begin(SOURCE))
    other_token, _ = built.step(torch.tensor([25] * 3), built.begin(SOURCE))
    assert torch.equal(any_token, other_token)


@pytest.mark.parametrize("tied", [True, False])
def test_the_output_is_tied_as_the_settings_say(tied):
    built = model(tied=tied)
    assert (built.output.weight is built.embedding.table.weight) == tied


def test_two_vocabularies_are_refused():
    with pytest.raises(ConfigError) as error:
        DecoderOnly(DecoderOnlySettings(**SMALL), 30, 31, prompt_end=EOP)
    assert str(error.value) == (
        "model.kind = 'decoder-only' needs one shared vocabulary, but the source has 30 entries "
        "and the target 31. Set tokenizer.shared = true."
    )


def test_writing_beyond_the_learned_positions_is_refused():
    built = model(positions="learned", max_positions=5)
    state = built.begin(SOURCE)
    _, state = built.step(torch.tensor([START] * 3), state)
    with pytest.raises(DataError, match="a sequence of 6 tokens is longer than the 5 positions"):
        built.step(torch.tensor([20] * 3), state)
