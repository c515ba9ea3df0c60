import torch

from dragoman.neural.layers.packing_mask import places_in, same_document

DOCUMENTS = torch.tensor([[1, 1, 1, 2, 3, 3, 0], [1, 1, 1, 1, 1, 1, 1], [1, 0, 0, 0, 0, 0, 0]])


def test_places_begin_anew_with_each_document():
    assert places_in(DOCUMENTS).tolist() == [
        [0, 1, 2, 0, 0, 1, 0],
        [0, 1, 2, 3, 4, 5, 6],
        [0, 0, 1, 2, 3, 4, 5],
    ]


def test_a_row_of_one_token_and_no_rows_have_places_too():
    assert places_in(torch.tensor([[1]])).tolist() == [[0]]
    assert places_in(torch.zeros(0, 3, dtype=torch.int64)).shape == (0, 3)


def test_tokens_see_the_real_ones_of_their_own_document_and_themselves():
    real = DOCUMENTS.ne(0)
    seen = same_document(DOCUMENTS, real)
    for row, documents in enumerate(DOCUMENTS.tolist()):
        for query, own in enumerate(documents):
            for key, other in enumerate(documents):
                wanted = query == key or (own == other and other != 0)
                assert seen[row, query, key] == wanted


def test_a_hidden_token_is_seen_by_nobody_else():
    hidden = torch.tensor([[True, False, True]])
    seen = same_document(torch.ones(1, 3, dtype=torch.int64), hidden)
    assert seen[0].tolist() == [[True, False, True], [True, True, True], [True, False, True]]
