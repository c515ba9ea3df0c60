"""Rules of thumb for the cost of training: C = 6ND, and the formulas of the public scaling study.

The study counts a decoder-only network of h numbers and L layers, each with attention without an
output projection and a single matrix after it, on rows of s characters out of V; embeddings are not
counted, and the backward pass is twice the forward one:

    parameters       L (4h² + 4h) + hV + V
    FLOPs of a row   3 [ L (8sh² + 4s²h + 3s²) + 2sVh ]
"""


def six_n_d(parameters: int, tokens: int) -> int:
    """Return the FLOPs of a training, C = 6ND (Kaplan et al. 2020)."""
    return 6 * parameters * tokens


def published_parameters(width: int, *, layers: int, words: int) -> int:
    """Return the parameters of the public formula."""
    return layers * (4 * width**2 + 4 * width) + width * words + words


def published_flops(width: int, *, layers: int, words: int, length: float) -> float:
    """Return the FLOPs of a row by the public formula, forward and backward."""
    layer = 8 * length * width**2 + 4 * length**2 * width + 3 * length**2
    return 3 * (layers * layer + 2 * length * words * width)
