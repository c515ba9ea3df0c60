"""Parameters and training FLOPs of the decoder-only model, by the public formulas of the course.

Embeddings are not counted, neither their parameters nor their FLOPs; the backward pass counts as
two forward passes. With s tokens, width h, L layers and a vocabulary of V:

    parameters            L(4h² + 4h) + hV + V
    FLOPs of a sequence   3[L(8sh² + 4s²h + 3s²) + 2sVh]
"""

LAYERS = 4


def parameters(width: int, vocabulary: int, layers: int = LAYERS) -> int:
    """Return the parameters without the embeddings."""
    return layers * (4 * width**2 + 4 * width) + width * vocabulary + vocabulary


def sequence_flops(tokens: int, width: int, vocabulary: int, layers: int = LAYERS) -> int:
    """Return a sequence's training FLOPs: four matrices, attention, its softmax, the output."""
    layer = 8 * tokens * width**2 + 4 * tokens**2 * width + 3 * tokens**2
    return 3 * (layers * layer + 2 * tokens * vocabulary * width)
