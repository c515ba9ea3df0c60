import torch
from hypothesis import given
from hypothesis import settings as cases
from hypothesis import strategies as st
from transformers.models.llama.modeling_llama import apply_rotary_pos_emb

from dragoman.neural.layers.attention import Attention
from dragoman.neural.layers.positions import sinusoids
from dragoman.neural.layers.rotary import Rotary

WIDTH = 8


def some(*shape, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


def at(*places):
    return torch.tensor([places])


@given(query=st.integers(0, 300), key=st.integers(0, 300), shift=st.integers(0, 300))
@cases(max_examples=30, deadline=None)
def test_the_likeness_of_query_and_key_knows_only_their_distance(query, key, shift):
    rotary, q, k = Rotary(WIDTH), some(1, 1, 1, WIDTH), some(1, 1, 1, WIDTH, seed=1)
    here = (rotary(q, at(query)) * rotary(k, at(key))).sum()
    there = (rotary(q, at(query + shift)) * rotary(k, at(key + shift))).sum()
    torch.testing.assert_close(here, there, atol=1e-9, rtol=0)


def test_llama_turns_the_same_way():
    q, k = some(2, 3, 9, WIDTH), some(2, 3, 9, WIDTH, seed=1)
    sine, cosine = sinusoids(9, WIDTH, "halves").chunk(2, dim=-1)
    whole = [torch.cat((part, part), dim=-1)[None] for part in (cosine, sine)]
    wanted = apply_rotary_pos_emb(q, k, *whole)
    rotary = Rotary(WIDTH)
    torch.testing.assert_close(rotary(q), wanted[0])
    torch.testing.assert_close(rotary(k), wanted[1])


def test_each_row_may_stand_elsewhere():
    rotary, x = Rotary(WIDTH), some(1, 2, 1, WIDTH).expand(2, -1, 12, -1)
    whole = rotary(x)
    places = torch.tensor([[3, 4, 5], [9, 0, 11]])
    shown = rotary(x[:, :, :3], places)
    for row in range(2):
        assert torch.equal(shown[row], whole[row][:, places[row]])


def test_a_table_made_while_translating_serves_training():
    rotary = Rotary(WIDTH)
    with torch.inference_mode():
        rotary(some(1, 1, 4, WIDTH))
    x = some(1, 1, 4, WIDTH).requires_grad_()
    rotary(x).sum().backward()
    assert x.grad is not None


def test_attention_means_the_same_wherever_a_sentence_begins():
    torch.manual_seed(1)
    attention = Attention(16, 2, rotary=Rotary(WIDTH)).double()
    x, late = some(1, 5, 16), torch.arange(40, 45)[None]
    moved = attention.attend_to(
        x, attention.project_keys_values(x, late), places=late, key_places=late
    )
    torch.testing.assert_close(moved, attention(x, x))


def test_there_is_nothing_to_learn_and_nothing_to_store():
    rotary = Rotary(WIDTH)
    rotary(some(1, 1, 4, WIDTH))
    assert not rotary.state_dict()
