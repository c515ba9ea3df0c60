"""The topic of attention."""

from dragoman.lab.topic import Section, Topic
from dragoman.lab.topics.attention.heads import (
    each_head_by_itself,
    heads_are_concatenated,
    heads_are_projected,
    heads_as_a_sum,
    heads_share_the_width,
    shape_of_all_scores,
    width_of_values,
)
from dragoman.lab.topics.attention.masks import causal_attention, causal_mask, mask_of_ones
from dragoman.lab.topics.attention.measured_claims import (
    fixed_against_learned,
    heads_specialize,
)
from dragoman.lab.topics.attention.pooling import attention_as_max_pooling, sharp_softmax
from dragoman.lab.topics.attention.projections import (
    attention_equation,
    matrices_are_learned,
    self_attention_word_by_word,
    three_vectors_of_one_word,
)
from dragoman.lab.topics.attention.quadratic_form import (
    permuted_words,
    scores_as_a_quadratic_form,
    size_of_the_tensor,
    sparsity_of_the_tensor,
)
from dragoman.lab.topics.attention.relative import (
    attention_as_convolution,
    relative_attention,
)
from dragoman.lab.topics.attention.scaled_dot import cross_attention, scaled_dot_attention
from dragoman.lab.topics.attention.scaling import (
    mean_square_of_scores,
    rows_are_not_one_hot,
    saturated_softmax,
    scale_of_a_head,
)
from dragoman.lab.topics.attention.similarity import (
    attention_without_parameters,
    dot_product_as_similarity,
    orthogonal_words,
    words_in_context,
)
from dragoman.lab.topics.attention.worked import (
    i_am_a_good_boy,
    shape_of_the_scores,
    the_cat_sleeps,
)

TOPIC = Topic(
    id="K8",
    name="attention",
    title="Attention",
    introduction=(
        "Attention lets each word collect what it needs from every other word. We build it from "
        "its smallest form, an average weighted by similarity, up to the multi-head layer of "
        "the Transformer, and then push it to its limits, where it turns into a convolution or "
        "into max pooling."
    ),
    sections=[
        Section(
            "An average weighted by similarity",
            "A static embedding gives *bank* one vector, whatever stands next to it. Attention "
            "fixes that in three steps. Compare the word with every word of the sentence, by a "
            "dot product. Turn the scores into weights, by a softmax. Take the average of all "
            "words with these weights. None of this has parameters, and all words are processed "
            "at once.\n\n"
            "Two properties are worth keeping in mind. The dot product measures similarity, but "
            "it also grows with the lengths of the vectors, so long vectors count for more. And "
            "the softmax never says no: a score of 0 contributes $e^0 = 1$ to the sum, not a "
            "weight of 0. Orthogonal words, which have nothing in common, are therefore mixed "
            "all the same, and the more so the shorter they are.",
            [
                dot_product_as_similarity,
                attention_without_parameters,
                words_in_context,
                orthogonal_words,
            ],
        ),
        Section(
            "Queries, keys and values",
            "In the form without parameters a word plays three roles with one vector: it asks, "
            "it is compared, and it is what the others receive. Three matrices separate the "
            "roles. The *query* says what a word is looking for, the *key* what it can be found "
            "by, the *value* what it contributes. The matrices are ordinary weights: the values "
            "get their gradient directly through the average, queries and keys get theirs "
            "through the softmax.\n\n"
            "If the queries come from one sequence and the keys and values from another, the "
            "same layer is called *cross-attention*. That is how a decoder reads the source "
            "sentence, and how its loss reaches the encoder.\n\n"
            "When you compare equations from different sources, watch the side on which the "
            "matrix stands. With words as rows, $Q = X W_q$; the same word as a column needs "
            "the transpose.",
            [
                self_attention_word_by_word,
                three_vectors_of_one_word,
                fixed_against_learned,
                matrices_are_learned,
                attention_equation,
                scaled_dot_attention,
                cross_attention,
                i_am_a_good_boy,
                the_cat_sleeps,
                shape_of_the_scores,
            ],
        ),
        Section(
            "Why the scores are scaled",
            "A dot product is a sum over the entries of a query and a key. If the entries are "
            "independent with mean 0 and variance 1, the sum of $D$ products has variance $D$: "
            "the wider the vectors, the larger the scores.\n\n"
            r"Large scores are bad for the softmax. Its Jacobian $\mathrm{diag}(p) - pp^\top$ "
            r"has a norm of at most $2(1 - \max p)$, so when one score is far ahead, almost no "
            "gradient reaches the queries and keys, and the layer can no longer change its "
            "mind. Dividing by the square root of the width (of *one head*, not of the model) "
            "keeps the scores at variance 1 whatever the size of the model. Rows can still "
            "become sharp where the data call for it. But however sharp they are, a softmax of "
            "finite scores is never exactly one-hot.",
            [mean_square_of_scores, scale_of_a_head, saturated_softmax, rows_are_not_one_hot],
        ),
        Section(
            "Masks",
            "A decoder is trained on whole sentences at once and must not see the word that it "
            r"has to predict. Adding $-\infty$ to the scores of later words makes their weights "
            "exactly zero, and with them their influence and their gradient. One could instead "
            "cut the keys and values to the past at every position. That gives the same "
            "numbers, with a loop in place of one matrix product.\n\n"
            "The value that the mask has where words *are* visible does not matter, as long as "
            "it is the same along a row: adding a constant to all scores does not change a "
            "softmax.",
            [causal_attention, causal_mask, mask_of_ones],
        ),
        Section(
            "Many heads",
            "One softmax has one center of attention. Several heads, each with its own matrices "
            "on a share of the width, can attend to several things at once without more "
            r"parameters: $h$ matrices of $d \times d/h$ have as many entries as one matrix of "
            r"$d \times d$."
            "\n\n"
            "The outputs of the heads are concatenated and multiplied by $W_O$. Written head by "
            "head, this product is a sum in which every head contributes through its own "
            "low-rank matrix $W_v^{(h)} W_o^{(h)}$. So it is not wrong to say that heads are "
            "added up, but it is the *projected* heads that are added. Only the widths of "
            "queries and keys have to agree; the values may have a different one.",
            [
                heads_specialize,
                heads_share_the_width,
                shape_of_all_scores,
                each_head_by_itself,
                heads_are_projected,
                heads_as_a_sum,
                heads_are_concatenated,
                width_of_values,
            ],
        ),
        Section(
            "Attention as a quadratic form",
            r"Before the softmax, the scores are $X A X^\top$ with a single matrix $A$ for all "
            "pairs of words. They are quadratic in the input, where a dense layer is linear. As "
            "a tensor over all entries of $X$, this map has $N^4 D^2$ entries. Nearly all of "
            "them are zero, because the score of two words depends on those two only, and the "
            "rest repeat the same $D^2$ numbers.\n\n"
            "This sharing has a consequence. Since no pair of positions has weights of its own, "
            "attention cannot know where a word stands: permuting the inputs permutes the "
            "outputs and changes nothing else. How to tell it about positions is the subject of "
            "the next topic.",
            [
                scores_as_a_quadratic_form,
                size_of_the_tensor,
                sparsity_of_the_tensor,
                permuted_words,
            ],
        ),
        Section(
            "What attention can imitate",
            "Add to each score a number that depends on the *offset* between query and key, and "
            "attention becomes expressive enough to imitate other layers. With queries of zero, "
            "the weights depend on the offset only. That is a convolution with a positive "
            "kernel, up to the kernel's sum, which the value matrix restores. The two differ at "
            "the ends of the sequence, where a softmax must give all of its weight to the "
            "neighbors that exist.\n\n"
            "In the opposite limit, with very large scores, the softmax selects the largest "
            "entry, and attention over a window is max pooling. This works only if the query "
            "does not depend on the input: a query that changes sign turns the maximum into the "
            "minimum.",
            [
                relative_attention,
                attention_as_convolution,
                sharp_softmax,
                attention_as_max_pooling,
            ],
        ),
    ],
)
