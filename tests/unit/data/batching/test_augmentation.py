import re
from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.config.augmentation import AugmentationSettings
from dragoman.config.batches import BatchSettings
from dragoman.config.tokenizer import (
    BpeTokenizerSettings,
    CharacterTokenizerSettings,
    WordTokenizerSettings,
)
from dragoman.data.batching.augmentation import (
    KEYS,
    augmentation,
    clusters,
    placeholders,
    punctuation,
    symbols,
    title,
    typos,
    upper,
)
from dragoman.data.batching.dropout import bpe_dropout
from dragoman.data.batching.store import write_store
from dragoman.data.batching.stream import BatchStream, Position
from dragoman.data.formats.pair import Pair
from dragoman.data.tokenizer.special_tokens import END
from dragoman.data.tokenizer.train import train_tokenizer_pair

CHANGES = [upper, title, typos, punctuation, placeholders]
EVERY = AugmentationSettings(upper=0.2, title=0.2, typos=0.2, punctuation=0.2, placeholders=0.2)
PAIRS = [Pair(f"｟31｠ the old man knows {n}.", f"der alte mann kennt {n}.") for n in range(60)]
TAG = re.compile("｟[0-9]+｠")
SYMBOLS = re.compile(r"｟[0-9]+｠|%\(?\w+\)?s?|\{\w+\}|</?b>|https://\S+")


def chance(seed=0):
    return np.random.default_rng(seed)


def many(change, source, target, times=200):
    return {change(source, target, chance(seed)) for seed in range(times)}


@pytest.fixture(scope="module")
def tokenizer():
    return train_tokenizer_pair(BpeTokenizerSettings(vocab_size=400), PAIRS)


@pytest.fixture(scope="module")
def store(tokenizer, tmp_path_factory):
    encoded = ((tokenizer.encode_source(s), tokenizer.target.encode(t)) for s, t in PAIRS)
    return write_store(tmp_path_factory.mktemp("store"), "train", encoded)


def texts_after(hook, tokenizer, store, epoch=0):
    """Return the pairs of a store as an epoch sees them."""
    for example in range(len(store)):
        source, target = hook(*store.example(example), epoch, example)
        assert source[-1] == target[-1] == END
        yield tokenizer.source.decode(source), tokenizer.target.decode(target)


@pytest.mark.parametrize("name", [change.__name__ for change in CHANGES])
def test_a_share_of_the_pairs_is_changed_and_the_others_are_not_touched(name, tokenizer, store):
    hook = augmentation(tokenizer, AugmentationSettings(**{name: 0.3}), 1, len(store))
    changed = kept = 0
    for epoch in range(20):
        for example in range(len(store)):
            before = store.example(example)
            after = hook(*before, epoch, example)
            if all(one is other for one, other in zip(before, after, strict=True)):
                kept += 1
            else:
                changed += any(list(a) != b.tolist() for a, b in zip(after, before, strict=True))
    deviation = (1200 * 0.3 * 0.7) ** 0.5
    assert abs(changed - 1200 * 0.3) < 4 * deviation
    assert changed + kept == 1200


def test_a_pair_is_changed_in_one_way_only(tokenizer, store):
    hook = augmentation(tokenizer, EVERY, 2, len(store))
    ways = {change: 0 for change in CHANGES}
    for epoch in range(10):
        for before, after in zip(PAIRS, texts_after(hook, tokenizer, store, epoch), strict=True):
            source, target = after
            if target == before.target:
                ways[typos] += 1  # a second slip may put the first one right
            elif source == source.upper():
                ways[upper] += 1
                assert after == upper(*before, chance())
            elif "Old Man" in source:
                ways[title] += 1
                assert after == title(*before, chance())
            elif source.startswith(before.source.rstrip(".")):
                ways[punctuation] += 1
                assert target.startswith(before.target.rstrip("."))
            else:
                ways[placeholders] += 1
                assert (
                    source.removeprefix("｟31｠ the old man knows ")
                    == target[len("der alte mann kennt ") :]
                )
    deviation = (600 * 0.2 * 0.8) ** 0.5
    assert all(abs(count - 600 * 0.2) < 4 * deviation for count in ways.values()), ways


def test_chance_depends_on_seed_epoch_and_example_alone(tokenizer, store):
    def seen(seed, epoch):
        hook = augmentation(tokenizer, EVERY, seed, len(store))
        return list(texts_after(hook, tokenizer, store, epoch))

    first = seen(1, 0)
    assert seen(1, 0) == first
    assert seen(2, 0) != first
    assert seen(1, 1) != first
    hook = augmentation(tokenizer, EVERY, 1, len(store))
    backwards = [hook(*store.example(n), 0, n) for n in reversed(range(len(store)))]
    assert [tokenizer.source.decode(source) for source, _ in reversed(backwards)] == [
        source for source, _ in first
    ]


@pytest.mark.parametrize("dropout", [0.0, 0.5])
def test_a_stream_goes_on_with_the_same_changes_as_if_it_had_never_stopped(
    tokenizer, store, dropout
):
    def taken(position, count):
        pieces = bpe_dropout(tokenizer, dropout, 4)
        changes = augmentation(tokenizer, EVERY, 4, len(store))
        batches = BatchStream(store, BatchSettings(max_tokens=200), 4, pieces, changes).at(position)
        items = list(islice(batches, count))
        batches.close()
        return items

    whole = taken(Position(), 12)
    for stop in (1, 5, 9):
        for (one, after), (other, also) in zip(
            whole[stop:], taken(whole[stop - 1][1], 12 - stop), strict=True
        ):
            assert after == also
            assert np.array_equal(one.source, other.source)
            assert np.array_equal(one.target, other.target)


def first_batch(stream):
    batches = stream.at(Position())
    item = next(batches)
    batches.close()
    return item


def test_other_pieces_are_cut_from_the_changed_text(tokenizer, store):
    shouting = augmentation(tokenizer, AugmentationSettings(upper=1.0), 1, len(store))
    pieces = bpe_dropout(tokenizer, 0.5, seed=1)
    batch, _ = first_batch(BatchStream(store, BatchSettings(), 1, pieces, shouting))
    plain, _ = first_batch(BatchStream(store, BatchSettings(), 1, changes=shouting))
    assert batch.source.shape != plain.source.shape
    for source, target, example in zip(batch.source, batch.target, batch.examples, strict=True):
        assert tokenizer.source.decode(source) == PAIRS[example].source.upper()
        assert tokenizer.target.decode(target) == PAIRS[example].target.upper()


def test_the_plan_knows_how_long_the_changed_pairs_are(tokenizer, store):
    """A pair in capitals is three times as long; among short ones it would be all padding."""
    settings = BatchSettings(max_tokens=150)
    some = augmentation(tokenizer, AugmentationSettings(upper=0.2), 1, len(store))
    stream = BatchStream(store, settings, 1, changes=some)
    examples = []
    for number in range(len(plan := stream.plan(0))):
        batch = stream.batch(plan, number, 0)
        examples += batch.examples.tolist()
        longer = max(batch.source.shape[1], batch.target.shape[1] - 1)
        assert longer * len(batch.examples) <= 150
    assert sorted(examples) == list(range(len(store)))
    assert set(some.changed(0).tolist()) != set(some.changed(1).tolist())


def test_where_nothing_is_changed_there_is_no_hook(tokenizer):
    assert augmentation(tokenizer, AugmentationSettings(), 1, 60) is None


@pytest.mark.parametrize(
    "kind",
    [BpeTokenizerSettings(vocab_size=400), WordTokenizerSettings(), CharacterTokenizerSettings()],
)
def test_every_kind_of_vocabulary_keeps_its_tags_and_encodes_the_rest_as_if_alone(kind, tmp_path):
    tokenizer = train_tokenizer_pair(kind, PAIRS)
    sources = [f"｟31｠ ｟15｠ {s.removeprefix('｟31｠ ')}" for s, _ in PAIRS]
    encoded = [
        (tokenizer.encode_source(source), tokenizer.target.encode(target))
        for source, (_, target) in zip(sources, PAIRS, strict=True)
    ]
    store = write_store(tmp_path, "train", encoded)
    hook = augmentation(tokenizer, AugmentationSettings(punctuation=1.0), 1, len(store))
    for example, source in enumerate(sources):
        changed, _ = hook(*store.example(example), 0, example)
        wanted = [tokenizer.encode_source(source.rstrip(".") + "." * n) for n in (0, 2, 3)]
        assert changed.tolist() in [[*ids, END] for ids in wanted]


def test_a_change_that_would_make_a_pair_too_long_is_not_made(tokenizer, store):
    limits = BatchSettings(max_tokens=200, max_length=int(store.source_lengths.max()))
    shouting = augmentation(tokenizer, AugmentationSettings(upper=1.0), 1, len(store))
    batch, _ = first_batch(BatchStream(store, limits, 1, changes=shouting))
    for row, example in zip(batch.source, batch.examples, strict=True):
        assert tokenizer.source.decode(row) == PAIRS[example].source


# What each change does to a text.

PIECES = st.sampled_from(
    [
        "｟31｠",
        "｟0｠",
        "%s",
        "%(file)s",
        "{name}",
        "<b>",
        "</b>",
        "https://a.org/b",
        "don't",
        "straße",
    ]
)
TEXTS = st.lists(PIECES | st.text(max_size=8), max_size=8).map(" ".join)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(CHANGES), TEXTS, TEXTS, st.integers(0, 2**32))
def test_tags_stay_what_they_are_and_where_they_are(change, source, target, seed):
    source = f"｟31｠ {source}"
    after = change(source, target, chance(seed))
    assert after[0].startswith("｟31｠ ")
    assert [TAG.findall(side) for side in after] == [TAG.findall(source), TAG.findall(target)]


@pytest.mark.parametrize("change", [upper, title, typos, punctuation])
def test_what_stands_there_for_programs_is_left_alone(change):
    source = "｟2｠ say (%s) or {name}'s <b>friend</b>, see https://a.org/b and %(file)s today!"
    target = "sag (%s) oder {name}s <b>freund</b>, siehe https://a.org/b und %(file)s heute!"
    for after in many(change, source, target):
        assert SYMBOLS.findall(after[0]) == SYMBOLS.findall(source)
        assert SYMBOLS.findall(after[1]) == SYMBOLS.findall(target)


def test_capitals_are_written_where_the_source_knows_them():
    assert upper("Straße of Tom", "calle", chance()) == ("STRASSE OF TOM", "CALLE")
    assert upper("the boy", "लड़का", chance()) == ("THE BOY", "लड़का")
    for source in ("लड़का", "NASA 7", ""):
        assert upper(source, "the boy", chance()) == (source, "the boy")


def test_title_case_begins_each_word_and_leaves_the_rest():
    after = title("don't (see) l'home the USA", "«no» 3rd x̣y", chance())
    assert after == ("Don't (See) L'home The USA", "«No» 3rd X̣y")
    assert title("The Boy", "el chico", chance()) == ("The Boy", "el chico")
    assert title("लड़का", "the boy", chance()) == ("लड़का", "the boy")


@settings(max_examples=150, deadline=None)
@given(TEXTS, st.integers(0, 2**32))
def test_a_slip_leaves_the_target_and_almost_the_length(source, seed):
    after, target = typos(source, "the target", chance(seed))
    assert target == "the target"
    assert abs(len(clusters(after)) - len(clusters(source))) <= 2


def test_slips_are_swaps_drops_doubles_and_neighboring_keys():
    found = {after for after, _ in many(typos, "to know it", "")}
    assert {"to konw it", "to kow it", "to knnow it", "to kmow it"} <= found
    assert all(re.fullmatch("to k[a-z]{1,6} it", after) for after in found)
    assert {after for after, _ in many(typos, "the 12345 cat", "")} == {"the 12345 cat"}
    assert all(a in KEYS[b] for a, around in KEYS.items() for b in around)
    assert len(KEYS) == 26


def test_a_letter_keeps_its_marks():
    word = "विद्यार्थी"
    letters = clusters(word)
    assert letters == ["वि", "द्", "या", "र्", "थी"]
    found = {after for after, _ in many(typos, word, "")}
    assert len(found) > 8
    for after in found:
        assert clusters(after)[0] == letters[0]
        assert set(clusters(after)) <= set(letters)


def test_the_last_mark_is_taken_away_or_repeated_on_both_sides():
    assert many(punctuation, "Go!", "जाओ।") == {
        ("Go", "जाओ"),
        ("Go!!", "जाओ।।"),
        ("Go!!!", "जाओ।।।"),
    }
    assert ("Quoi", "What") in many(punctuation, "Quoi ?", "What?")
    for pair in (("Go", "जाओ।"), ("Go!", "जाओ"), ("...", "Go!"), ("｟31｠ !", "Go!")):
        assert many(punctuation, *pair) == {pair}


def test_a_shared_word_is_replaced_by_the_same_on_both_sides():
    source, target = "Tom, who is 30, saw %s.", "Tom (30 Jahre) sah %s."
    found = many(placeholders, source, target, times=300)
    assert len(found) > 30
    for one, other in found:
        (here,) = re.fullmatch(r"(?:Tom, who is (.+), saw %s\.)|.*", one).groups()
        instead = here or re.fullmatch(r"(.+), who is 30, saw %s\.", one)[1]
        assert other.replace(f"({instead} ", "(30 ", 1) == target or other == target.replace(
            "Tom", instead, 1
        )
        assert one.count(instead) == other.count(instead)
        assert len(SYMBOLS.findall(one)) == len(SYMBOLS.findall(other))
    assert any("Tom" not in one for one, _ in found)
    assert any("30" not in one for one, _ in found)


def test_words_that_only_look_alike_or_come_twice_are_not_replaced():
    for pair in (
        ("a no", "a no"),
        ("7 or 7", "7"),
        ("7", "7 7"),
        ("one", "two"),
        ("{name}'s", "{name}'s"),
        ("｟31｠ x", "｟31｠ y"),
        ('<a href="here 7">', '<a href="here 7">'),
        ("", ""),
    ):
        assert many(placeholders, *pair, times=20) == {pair}


def test_what_stands_on_both_sides_becomes_the_same_symbol():
    pair = "Copy %s to {place} now", "{place} पर %s की नक़ल"
    for source, target in many(symbols, *pair):
        first, second = TAG.findall(source)
        assert source == f"Copy {first} to {second} now"
        assert target == f"{second} पर {first} की नक़ल"


def test_what_stands_on_one_side_only_or_more_often_stays():
    for pair in (("wait %s", "warte"), ("%d of", "%d von %d"), ("｟3｠ %s", "｟3｠ %s")):
        assert many(symbols, *pair) == {pair}


def test_without_placeholders_a_shared_name_becomes_a_symbol():
    for source, target in many(symbols, "we know Tom.", "wir kennen Tom."):
        (name,) = TAG.findall(source)
        assert (source, target) == (f"we know {name}.", f"wir kennen {name}.")


def test_numbers_become_symbols_only_at_times():
    found = many(symbols, "page 7 of %s", "Seite 7 von %s")
    assert {"7" in source for source, _ in found} == {True, False}


def test_the_marks_of_accelerators_go_with_the_symbols():
    assert many(symbols, "_File", "फ़ाइल (_F)") == {("File", "फ़ाइल")}
    assert many(symbols, "file_name", "नाम") == {("file_name", "नाम")}
