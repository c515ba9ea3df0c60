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
        "Attention works on a set of words, not on a sequence. Where each word stands "
        "has to be supplied: by a vector added to its embedding, by rotating queries and keys, "
        "or by a bias on the scores. The methods differ in what they know, what they cost, and "
        "how far they reach."
    ),
    sections=[
        Section(
            "Why positions are needed",
            "A recurrent network reads one word after another, so it knows their order whether "
            "it wants to or not. Attention compares all pairs at once, with the same matrices, "
            "wherever the two words stand. Permute the words and the outputs are permuted in "
            "the same way: to such a layer a sentence is a bag of words. (A causal layer is a "
            "partial exception, because the number of visible words gives a position away.)\n\n"
            "The simplest remedy is to add a vector $P_i$ for the position to each word. The "
            "same word at two positions is then two different inputs, and the matrices can "
            "learn to use the difference.",
            [order_is_not_seen, order_matters, positions_are_added],
        ),
        Section(
            "Sinusoids",
            "A one-hot vector for each position would need as many entries as there are "
            "positions, and any two of them would be equally far apart. Sinusoids need only a "
            "few entries: pairs of a sine and a cosine, like clock hands that move at different "
            "speeds. One step forward rotates every hand by a fixed angle. So a shift is a "
            "rotation, the same one at every position, and the dot product of two positions "
            "depends only on their distance.\n\n"
            "All of this rests on the sine and cosine of a pair having the *same* frequency. "
            "Give the cosine its own exponent, a common misprint, and the pair no longer "
            "describes a circle. Whether frequencies or words are counted from 0 or from 1, on "
            "the other hand, is only a convention.",
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
            "Nothing about the sinusoids can be learned. A table with a free vector for each "
            "position can reproduce the sinusoids, or hold anything else that suits the data "
            "better. In that sense it is the more powerful of the two.\n\n"
            "Its power ends with the table. A position beyond it has no vector at all, and a "
            "position that no training sentence reached still has its random initial value, "
            "because gradients come only from words that stood there. Sinusoids have a value "
            "for every position, although a network that never saw late positions need not know "
            "what to do with them.",
            [waves_are_not_learned, a_learned_table, learned_against_fixed],
        ),
        Section(
            "Absolute and relative positions",
            "That *good* stands right before *boy* should not depend on what was said earlier. "
            "With vectors added to the words, it does: query and key both contain their "
            "absolute positions, and the cross terms in their dot product change as the "
            "sentence moves. The network has to learn for every position what it could learn "
            "once.\n\n"
            "Relative positions put only the distance into the score. Words in front of a "
            "sentence then leave the attention pattern inside it unchanged, exactly so up to "
            "rounding, for all five methods shown here.",
            [prefix_shift, absolute_indices],
        ),
        Section(
            "Rotary positions and ALiBi",
            "*Rotary* positions (RoPE) take the rotation of the sinusoids and apply it to "
            "queries and keys. The dot product of two rotated vectors depends on the difference "
            "of their angles, hence on the distance, while their lengths, which carry the "
            "content, stay the same. This has to happen after the projections and in every "
            "layer. If the words were rotated once at the input, $W_q$ and $W_k$ would mix the "
            "pairs and destroy the structure.\n\n"
            "*ALiBi* is simpler still. Each score is reduced in proportion to the distance, "
            "with a slope that differs from head to head, so that some heads look near and "
            "others far. It has no parameters and works at any length.",
            [
                rotary_positions,
                length_and_angle,
                a_phrase_of_four_words,
                linear_bias,
                slopes_of_heads,
            ],
        ),
        Section(
            "Cost and the KV cache",
            "Relative positions have a reputation for being slow. It goes back to the first "
            "method of this kind, which learned a *vector* for each offset and multiplied it "
            "with each query. Counted in matrix products, rotations and biases cost nothing, "
            "and the elementwise work is a few percent. What does cost memory is a learned "
            "table.\n\n"
            "Nor are relative positions in conflict with the KV cache, which stores the keys "
            "and values of all previous tokens. A key is rotated by its own position, which "
            "never changes, and a bias is added after the cache. So the work for one more token "
            "grows linearly with the length instead of quadratically, and the result is the "
            "same.",
            [cost_of_positions, kv_cache],
        ),
    ],
)
