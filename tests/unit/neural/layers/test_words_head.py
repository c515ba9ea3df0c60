import pytest
import torch
from tests.oracles import scramble
from torch.nn import functional as F

from dragoman.neural.layers.words_head import WordsHead

BENT = {
    "relu": F.relu,
    "gelu": F.gelu,
    "gelu-tanh": lambda x: F.gelu(x, approximate="tanh"),
    "swiglu": F.gelu,
    "single": F.gelu,
}


@pytest.mark.parametrize("activation", BENT)
def test_a_words_head_is_a_matrix_an_activation_and_a_norm(activation):
    torch.manual_seed(0)
    head, x = scramble(WordsHead(6, activation)), torch.randn(2, 3, 6)
    bent = BENT[activation](x @ head.inner.weight.T + head.inner.bias)
    centered = bent - bent.mean(-1, keepdim=True)
    wanted = centered / (bent.var(-1, unbiased=False, keepdim=True) + head.norm.eps).sqrt()
    torch.testing.assert_close(head(x), wanted * head.norm.weight + head.norm.bias)
