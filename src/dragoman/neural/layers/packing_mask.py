"""The packing mask: several documents in one row, none of which sees another.

tokens     START a a END START b b b END PAD PAD
documents    1   1 1  1    2   2 2 2  2   0   0
places       0   1 2  3    0   1 2 3  4   0   1
"""

import torch
from jaxtyping import Bool, Int
from torch import Tensor


def places_in(documents: Int[Tensor, "b n"]) -> Int[Tensor, "b n"]:
    """Return where each token stands in its own document."""
    place = torch.arange(documents.shape[1], device=documents.device).expand_as(documents)
    begins = documents[:, 1:].ne(documents[:, :-1])  # of all but the first, which does
    first = torch.where(begins, place[:, 1:], 0).cummax(dim=1).values
    return torch.cat((place[:, :1], place[:, 1:] - first), dim=1)


def same_document(
    documents: Int[Tensor, "b n"], real: Bool[Tensor, "b n"]
) -> Bool[Tensor, "b n n"]:
    """Return which tokens each may see: the real ones of its own document, and always itself.

    A token that saw nothing would have no softmax; padding sees itself, and nobody sees padding.
    """
    same = documents.unsqueeze(2).eq(documents.unsqueeze(1)) & real.unsqueeze(1)
    return same | torch.eye(documents.shape[1], dtype=torch.bool, device=documents.device)


def past_in_document(documents: Int[Tensor, "b n"]) -> Bool[Tensor, "b n n"]:
    """Return which tokens each may see where it must not see what follows: its document's past."""
    same = documents.unsqueeze(2).eq(documents.unsqueeze(1))
    return same.tril()  # everyone sees itself, so padding too has a softmax
