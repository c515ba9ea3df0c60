from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from dragoman.config.corpus import FilesCorpus
from dragoman.planner.choose import TRAINED, choose, with_length
from dragoman.planner.facts import CorpusFacts
from dragoman.planner.measure import Speed

CORPUS = FilesCorpus(train=(Path("pairs.tsv"),))
STEP = 0.1


def speed_of(pairs, seconds=STEP):
    return Speed(seconds=seconds, tokens=380, steps_per_epoch=pairs * 11 / 380, parameters=1)


def facts(pairs=136_000, seconds=1800.0, letters=120, characters=30, memory=16.0):
    return CorpusFacts(
        pairs=pairs,
        characters=characters,
        longest_characters=3 * characters,
        letters=letters,
        cores=2,
        memory=memory,
        seconds=seconds,
    )


def chosen(some, step=STEP):
    return with_length(choose(some, 0), some, speed_of(some.pairs, step))


@given(
    pairs=st.integers(20, 5_000_000),
    seconds=st.floats(60, 30 * 86_400),
    letters=st.integers(2, 8000),
    step=st.floats(1e-4, 30),
)
def test_every_corpus_and_every_time_gets_a_valid_recipe(pairs, seconds, letters, step):
    some = facts(pairs, seconds, letters)
    recipe = chosen(some, step).recipe("any", CORPUS)
    assert recipe.training.steps >= 20
    assert recipe.schedule.warmup_steps <= recipe.training.steps
    assert recipe.training.validate_every <= recipe.training.steps


def test_every_choice_has_a_reason():
    made = chosen(facts())
    named = {f"{section}.{key}" for section, values in made.tree.items() for key in values}
    assert named == set(made.reasons)
    assert all(reason.strip() for reason in made.reasons.values())


def test_the_steps_fit_the_time():
    recipe = chosen(facts(seconds=600)).recipe("any", CORPUS)
    assert recipe.training.steps * STEP <= TRAINED * 600
    assert recipe.training.steps * STEP > 0.9 * TRAINED * 600


def test_a_small_corpus_is_not_gone_through_for_ever():
    recipe = chosen(facts(pairs=5000, seconds=8 * 3600)).recipe("any", CORPUS)
    passes = recipe.training.steps / speed_of(5000).steps_per_epoch
    assert passes < 100


def test_more_pairs_never_mean_fewer_pieces_or_a_narrower_network():
    sizes = [chosen(facts(pairs)).tree for pairs in (1000, 10_000, 100_000, 1_000_000)]
    vocabularies = [tree["tokenizer"]["vocab_size"] for tree in sizes]
    widths = [tree["model"]["width"] for tree in sizes]
    assert vocabularies == sorted(vocabularies)
    assert widths == sorted(widths)


def test_a_script_with_many_letters_gets_room_for_them():
    few, many = (chosen(facts(5000, letters=n)).tree for n in (60, 4000))
    assert many["tokenizer"]["vocab_size"] > 4000 > few["tokenizer"]["vocab_size"]


def test_long_sentences_get_larger_batches_and_room():
    short, long = (chosen(facts(characters=n)).tree["batches"] for n in (30, 400))
    assert long["max_tokens"] > short["max_tokens"]
    assert long["max_length"] > 256
    assert "max_length" not in short


def test_little_memory_means_a_narrower_network():
    wide, narrow = (
        chosen(facts(500_000, 86_400, memory=gib)).tree["model"]["width"] for gib in (16.0, 1.0)
    )
    assert wide > narrow


def test_what_is_seen_often_is_dropped_more():
    rates = [
        chosen(facts(pairs, 3600)).tree["model"]["dropout"] for pairs in (5000, 50_000, 5_000_000)
    ]
    assert rates == sorted(rates, reverse=True)
    assert rates[0] > rates[-1]


def test_what_is_exportable_can_be_held_by_others():
    made = with_length(choose(facts(), 0, exportable=True), facts(), speed_of(136_000))
    recipe = made.recipe("any", CORPUS)
    assert recipe.model.positions == "sinusoidal-halves"
    assert "CTranslate2" in made.reasons["model.positions"]
    assert chosen(facts()).recipe("any", CORPUS).model.positions == "relative"
