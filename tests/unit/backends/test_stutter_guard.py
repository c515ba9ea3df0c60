"""What is said twice in a row, by words and inside them, and what may be."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import settings as cases
from hypothesis import strategies as st

from dragoman.backends.stutter_guard import DOUBLES, make_guard, stutter_guard_of, write_doubles
from dragoman.data.batching.doubles import Doubles, TokenSounds, count_doubles
from dragoman.data.batching.store import write_store
from dragoman.data.tokenizer.pair import TokenizerPair
from dragoman.data.tokenizer.special_tokens import END, FIRST_PIECE, PLACEHOLDER_IDS
from dragoman.data.tokenizer.wordpiece import WordPieceTokenizer
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.neural.decoding.guards import RowRules, apply_guards
from dragoman.neural.decoding.rules import Rules

PIECES = [
    *("▁a", "▁A", "▁la", "la", "▁no", "▁no,", ",", "▁ir", "▁Es", "▁¿Es", "▁es", "▁regalo"),
    *("▁regalo.", "ti", "ta", ".", "ell", "ello", "▁Hell", "▁cuatro", "atro", "▁pa", "pa", "▁ban"),
    *(
        "ana",
        "▁धी",
        "रे",
        "▁100",
        "▁000",
        "0",
        "!",
        "人",
        "▁人",
        "-",
        "▁अलग",
        "अलग",
        "▁mant",
        "ente",
    ),
    *("▁mante", "nte", "l", "p", "u", "ा", "▁ha", "▁ja", "▁cond", "▁x", "ко", "▁ко", "▁had"),
]
TOKENIZER = WordPieceTokenizer([p[1:] if p.startswith("▁") else f"##{p}" for p in PIECES])
IDS = {piece: token for token, piece in enumerate(PIECES, FIRST_PIECE)}
PAIR = TokenizerPair(TOKENIZER, TOKENIZER)
GUARD = make_guard(PAIR, Doubles({"▁धी रे": (1, 20), "▁no": (1, 9000)}, frozenset({"nte"})))
RULES = Rules(start=2, end=END, stutter_guard=GUARD)


def ids(text):
    return [IDS[piece] for piece in text.split()]


def banned(prefix, guard=GUARD):
    rows, tokens = guard.bans(torch.tensor([ids(prefix)], dtype=torch.long))
    assert set(rows.tolist()) <= {0}
    return {PIECES[token - FIRST_PIECE] for token in tokens.tolist()}


@pytest.mark.parametrize(
    ("prefix", "token"),
    [
        ("▁x ▁a", "▁a"),
        ("▁la ▁100 ▁la", "▁100"),
        ("▁100 ▁la ▁ir ▁100 ▁la", "▁ir"),
        ("▁a", "▁A"),
        ("▁¿Es", "▁es"),
        ("▁x ▁regalo", "▁regalo."),
        ("▁no ▁ir ▁no", "▁ir"),
        ("▁cond ti ▁cond", "ti"),
        ("▁la ▁x ▁a ▁la ▁x", "▁a"),
        ("▁x ti", "ti"),
        ("▁x ti ta ti", "ta"),
        ("▁x ा", "ा"),
        ("▁Hell", "ello"),
        ("▁Hell", "ell"),
        ("▁cuatro", "atro"),
        ("▁la la", "la"),
        ("▁no", "▁no"),  # doubled in the training targets, but hardly ever
        ("▁धी रे ▁धी रे ▁धी", "रे"),  # a third time
    ],
)
def test_what_would_be_said_again_may_not_come(prefix, token):
    assert token in banned(prefix)


@pytest.mark.parametrize(
    "text",
    [
        "▁धी रे ▁धी रे",
        "▁अलग - अलग",
        "▁no , ▁no",
        "▁no, ▁no",
        "▁pa pa",
        "▁ban ana",
        "▁ко ко",
        "▁100 ▁000 ▁000",
        "▁100 0 0 0",
        "▁100 ▁000 ▁100 ▁000",
        "! ! !",
        "▁人 人 人",
        "▁x l l",
        "▁x p u p u",
        "▁mante nte",
        "▁mant ente",
        "▁regalo. ▁regalo",
    ],
)
def test_what_a_language_doubles_may_come(text):
    *before, last = text.split()
    assert last not in banned(" ".join(before))
    assert not GUARD.stutters(ids(text))


def test_placeholders_may_come_again():
    symbol = PLACEHOLDER_IDS["｟0｠"]
    assert GUARD.bans(torch.tensor([[symbol]]))[1].tolist() == []


@pytest.mark.parametrize("source", ["▁ha ▁ha", "▁no, ▁no", "▁no , ▁no", "▁x ▁la ti ▁la ti"])
def test_what_the_source_doubles_may_be_doubled(source):
    plain = ids("▁x ▁regalo ▁x")
    rows = torch.tensor([(ids(source) + [END] + [0] * 9)[:9], (plain + [END] + [0] * 9)[:9]])
    assert GUARD.excused(rows).tolist() == [True, False]
    table = torch.zeros((2, TOKENIZER.size))
    prefixes = torch.tensor([ids("▁ja"), ids("▁ja")])
    left = apply_guards(table, prefixes, RULES, RowRules(may_stutter=GUARD.excused(rows)))
    assert left[:, IDS["▁ja"]].isneginf().tolist() == [False, True]


tokens = st.sampled_from([*range(36, 40), *IDS.values()])


@cases(deadline=None, max_examples=60)
@given(st.lists(st.lists(tokens, min_size=12, max_size=12), min_size=1, max_size=4))
def test_an_output_stutters_exactly_if_the_guard_forbids_one_of_its_tokens(rows):
    """Row by row and in one batch, behind fillers too, as continuous batching has them."""
    table = torch.tensor(rows)
    caught = [False] * len(rows)
    for length in range(12):
        found, forbidden = GUARD.bans(table[:, :length])
        together = set(zip(found.tolist(), forbidden.tolist(), strict=True))
        for row, one in enumerate(rows):
            fillers = torch.tensor([[-3, -2, *one[:length]]])
            alone = set(GUARD.bans(fillers)[1].tolist())
            assert alone == {token for place, token in together if place == row}
            caught[row] |= one[length] in alone
    assert caught == [GUARD.stutters(one) for one in rows]


@cases(deadline=None, max_examples=40)
@given(st.lists(tokens, min_size=1, max_size=9), st.sets(tokens, max_size=3))
def test_the_guard_never_takes_the_last_token(prefix, possible):
    table = torch.full((1, TOKENIZER.size), -torch.inf)
    table[0, list(possible)] = -1.0
    left = apply_guards(table, torch.tensor([prefix]), RULES)
    assert bool(left.isneginf().all()) is (not possible)


def test_a_search_among_fewer_tokens_forbids_the_same():
    kept = torch.tensor([0, 2, END, *ids("▁x ▁regalo ▁regalo. ti ta ▁Hell ello")])
    narrow = GUARD.narrow(kept)
    for prefix in ("▁x ▁regalo", "▁x ti ta ti", "▁Hell"):
        inside = [kept.tolist().index(token) for token in ids(prefix)]
        found = {int(kept[token]) for token in narrow.bans(torch.tensor([inside]))[1]}
        whole = {IDS[piece] for piece in banned(prefix)}
        assert found == whole & set(kept.tolist())
        assert found


def test_doubles_are_counted_in_the_targets_alone(tmp_path):
    source = ids("▁ir ▁ir")
    targets = ["▁ja ▁ja", "▁ja ▁x", "▁धी रे ▁धी रे", "▁mant ente", "▁a", "▁a", "▁no, ▁no"]
    store = write_store(tmp_path, "train", [(source, ids(target)) for target in targets])
    doubles = count_doubles(store, TOKENIZER)
    assert doubles.phrases == {"▁ja": (1, 3), "▁धी रे": (1, 2)}
    assert doubles.stretches == {"nte"}


def test_what_was_counted_is_kept_and_a_damaged_file_is_counted_again(tmp_path):
    run = RunFolder(tmp_path)
    assert stutter_guard_of(run.path, PAIR) is None  # nothing is known of its training
    write_store(run.data, "train", [(ids("▁x"), ids("▁ja ▁ja"))])
    guard = stutter_guard_of(run.path, PAIR)
    assert not guard.stutters(ids("▁ja ▁ja"))
    assert guard.stutters(ids("▁a ▁a"))
    stored = (run.path / DOUBLES).read_bytes()
    (run.path / DOUBLES).write_bytes(stored[:-9])
    assert not stutter_guard_of(run.path, PAIR).stutters(ids("▁ja ▁ja"))
    assert (run.path / DOUBLES).read_bytes() == stored
    write_doubles(run.path / DOUBLES, Doubles({}, frozenset()))
    assert stutter_guard_of(run.path, PAIR).stutters(ids("▁ja ▁ja"))


def test_every_token_has_the_sounds_of_its_letters():
    sounds = TokenSounds.of(TOKENIZER)
    first = {piece: sounds.first[IDS[piece]] for piece in PIECES}
    assert first["▁Es"] == first["▁es"] == first["▁¿Es"] >= 0
    assert first["▁regalo."] < 0  # a mark parts it from what follows
    assert first["▁la"] != first["la"]
    assert np.all(sounds.first[:FIRST_PIECE] < 0)
