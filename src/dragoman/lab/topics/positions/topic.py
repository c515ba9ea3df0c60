"""The topic of positions."""

from dragoman.lab.topic import Section, Topic
from dragoman.lab.topics.positions.costs import cost_of_positions, kv_cache
from dragoman.lab.topics.positions.linear_bias import linear_bias, slopes_of_heads
from dragoman.lab.topics.positions.order import (
    order_is_not_seen,
    order_matters,
    positions_are_added,
)
from dragoman.lab.topics.positions.rotary import (
    a_phrase_of_four_words,
    length_and_angle,
    rotary_positions,
)
from dragoman.lab.topics.positions.shifts import absolute_indices, prefix_shift
from dragoman.lab.topics.positions.tables import (
    a_learned_table,
    learned_against_fixed,
    waves_are_not_learned,
)
from dragoman.lab.topics.positions.waves import (
    exponent_of_the_cosine,
    first_position,
    waves_from_zero_or_one,
    waves_know_distance,
    waves_of_the_lecture,
)

TOPIC = Topic(
    id="K9",
    name="positions",
    title="Positions",
    introduction=(
        "Attention mixes a set of words, not a sequence. Where each word stands has to be told: "
        "by a vector that is added to it, by turning queries and keys, or by a bias of the scores. "
        "The ways differ in what they know, what they cost and how far they reach."
    ),
    sections=[
        Section(
            "Order has to be told",
            "A recurrent network reads one word after the other, so it cannot help knowing their "
            "order. Attention compares all pairs at once, by the same matrices, wherever the two "
            "stand. Put the words into another order, and the outputs come in that order too: to "
            "such a layer a sentence is a bag of words. (A causal layer is an exception of a "
            "sort: who sees how many others gives a place away.)\n\n"
            "The first cure is to add to each word a vector $P_i$ for its place. Then the same "
            "word at two places is two different inputs, and the matrices can learn to tell them "
            "apart.",
            [order_is_not_seen, order_matters, positions_are_added],
        ),
        Section(
            "Sinusoids",
            "A one-hot vector for each place would need as many entries as there are places, and "
            "any two of them would be equally far apart. Sinusoids use few entries: pairs of a "
            "sine and a cosine, hands of clocks that turn at different speeds. One step ahead "
            "turns every hand by a fixed angle, so a shift is a rotation, the same at every "
            "place, and the product of two positions depends on their distance alone.\n\n"
            "All of that rests on sine and cosine of a pair turning *together*. Give the cosine "
            "an exponent of its own, as is often misprinted, and there is no circle any more. "
            "Where counting begins, on the other hand, is only a convention, for the waves as "
            "well as for the words.",
            [
                waves_know_distance,
                waves_of_the_lecture,
                waves_from_zero_or_one,
                exponent_of_the_cosine,
                first_position,
            ],
        ),
        Section(
            "A learned table",
            "Nothing in the waves can be learned. A table with a free vector for each place can "
            "hold the waves, or anything else that suits the data better, and in that sense it is "
            "the more powerful of the two.\n\n"
            "The power ends with the table. A place beyond it has no vector, and a place that no "
            "sentence of the training reached has the random one it began with: gradients come "
            "only from words that stood there. Waves have a value for each place, though a "
            "network that never saw late ones need not know what to do with them.",
            [waves_are_not_learned, a_learned_table, learned_against_fixed],
        ),
        Section(
            "Absolute and relative",
            "That *good* stands before *boy* should not depend on what else was said before. With "
            "vectors added to the words it does: query and key both contain their absolute "
            "places, and the products of these with everything else change as the sentence "
            "moves. The network has to learn at every place what it could learn once.\n\n"
            "Relative positions put the distance into the score itself, and nothing else. Then "
            "words before a sentence leave the pattern inside it as it was: exactly so, up to "
            "rounding, for all five kinds here.",
            [prefix_shift, absolute_indices],
        ),
        Section(
            "Rotary positions and ALiBi",
            "*Rotary* positions take the rotation of the sinusoids and apply it to queries and "
            "keys. The product of two turned vectors depends on the difference of their angles, "
            "hence on the distance, while their lengths, which say what the words are, stay. It "
            "has to be done after the matrices and in every layer: words turned once at the "
            "input go through $W_q$ and $W_k$, which know nothing of circles.\n\n"
            "*ALiBi* is plainer still. Each score loses in proportion to the distance, by a slope "
            "that differs from head to head, so that some heads look near and others far. It "
            "has nothing to learn and no end.",
            [
                rotary_positions,
                length_and_angle,
                a_phrase_of_four_words,
                linear_bias,
                slopes_of_heads,
            ],
        ),
        Section(
            "Costs, and the cache",
            "Relative positions have the name of being slow. It comes from the first of their "
            "kind, which learned a *vector* for each offset and multiplied it with each query. "
            "Counted by products of matrices, rotations and biases cost nothing at all, and "
            "entry by entry a few percent; what does cost memory is a learned table.\n\n"
            "Nor do they stand in the way of the KV cache, which keeps the keys and values of "
            "what has been written. A key is turned by its own place, which does not change any "
            "more, and a bias is added after the cache. So a token costs work in proportion to "
            "the length instead of its square, and the result stays the same.",
            [cost_of_positions, kv_cache],
        ),
    ],
)
