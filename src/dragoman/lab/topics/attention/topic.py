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
        "Attention lets each word take from every other what it needs. It is built here from its "
        "smallest form, a mean weighted by likeness, to the many heads of a Transformer; and it is "
        "taken to its limits, where it turns into a convolution or into max pooling."
    ),
    sections=[
        Section(
            "A mean weighted by likeness",
            "A static embedding gives *bank* one vector, whatever stands beside it. Attention "
            "repairs that with three steps. Compare the word with each word of the sentence, by a "
            "dot product; make weights of the scores, by a softmax; and take the mean of all "
            "words by these weights. Nothing has to be learned for that, and all words can be "
            "mixed at once.\n\n"
            "The dot product measures likeness, but it also grows with the lengths of the "
            "vectors, so long words speak louder. And the softmax never says no: a score of 0 is "
            "a factor $e^0 = 1$, not a weight of 0. Words at right angles, which have nothing in "
            "common, are therefore mixed all the same, and the more so the shorter they are.",
            [
                dot_product_as_similarity,
                attention_without_parameters,
                words_in_context,
                orthogonal_words,
            ],
        ),
        Section(
            "Queries, keys and values",
            "In the bare form a word asks, is asked and answers with the same vector. Three "
            "matrices give it three: a query for what it looks for, a key for what it offers, and "
            "a value for what it tells. They are ordinary weights. The values get their gradient "
            "through the mean, queries and keys get theirs through the softmax, as the closed "
            "form shows.\n\n"
            "If the queries come from one sequence and the keys and values from another, the "
            "same layer is *cross-attention*: that is how a decoder reads a source, and how its "
            "loss reaches the encoder.\n\n"
            "One thing to watch in all of these equations is which side the matrix stands on. "
            "Words as rows give $Q = X W_q$; the same word as a column needs the transposed "
            "matrix.",
            [
                self_attention_word_by_word,
                three_vectors_of_one_word,
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
            "A dot product is a sum over the entries of a query and a key. If these are "
            "independent, with mean 0 and variance 1, the sum of $D$ products has the variance "
            "$D$: the wider the vectors, the larger the scores.\n\n"
            "That harms the softmax. Its Jacobian $\\mathrm{diag}(p) - pp^\\top$ has a size of at "
            "most $2(1 - \\max p)$, so where one score leads by much, almost nothing flows back "
            "to queries and keys, and what they ask cannot be changed any more. Dividing by the "
            "root of the width, that of *one head*, keeps the scores at variance 1 for every "
            "size of model. The rows still get sharp where they should; yet however sharp, a "
            "softmax of finite scores is never exactly one-hot.",
            [mean_square_of_scores, scale_of_a_head, saturated_softmax, rows_are_not_one_hot],
        ),
        Section(
            "Masks",
            "A decoder is trained on whole sentences at once, and must not see the word that it "
            "is to predict. Adding $-\\infty$ to the scores of later words makes their weights "
            "exactly 0, and so their influence and their gradient. The alternative, cutting keys "
            "and values anew for each position, gives the same numbers with a loop in place of "
            "one product of matrices.\n\n"
            "What stands in the mask where words *are* seen is arbitrary, as long as it is the "
            "same along a row: the softmax does not see a constant.",
            [causal_attention, causal_mask, mask_of_ones],
        ),
        Section(
            "Many heads",
            "One softmax has one centre of attention. Several heads, each with matrices of its "
            "own on a share of the width, can look at several things at once, for the same "
            "number of parameters: $h$ matrices of $d \\times d/h$ are as many numbers as one of "
            "$d \\times d$.\n\n"
            "Their outputs are laid side by side and multiplied by $W_O$. Taken apart by heads "
            "that product is a sum, in which each head adds its own matrix "
            "$W_v^{(h)} W_o^{(h)}$ of low rank. So *adding the heads* is not wrong, but it is "
            "the projected heads that are added. Only the widths of queries and keys have to "
            "agree; values may have one of their own.",
            [
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
            "Before the softmax the scores are $X A X^\\top$, with one matrix $A$ for every pair "
            "of words: quadratic in the input, where a dense layer is linear. Written out as a "
            "tensor over all entries of $X$ this takes $N^4 D^2$ numbers. Nearly all of them are "
            "0, since the score of two words depends on these two alone, and the others repeat "
            "the same $D^2$.\n\n"
            "The sharing has a consequence. As no pair has weights of its own, attention cannot "
            "know where a word stands: other orders of the input give the same outputs in "
            "another order. What it takes to know positions is the next topic.",
            [
                scores_as_a_quadratic_form,
                size_of_the_tensor,
                sparsity_of_the_tensor,
                permuted_words,
            ],
        ),
        Section(
            "What attention can imitate",
            "A number added to each score for the *offset* of query and key makes attention "
            "relative, and strong enough to be other layers. With queries of 0 the weights "
            "depend on the offset alone: that is a convolution whose kernel is positive, up to "
            "its sum, which the values restore. Only at the ends the two part, because a softmax "
            "has to give all of its weight to what is there.\n\n"
            "In the other limit, with huge scores, the softmax picks the greatest entry, and "
            "attention over a window is max pooling. But the query must not depend on the "
            "input: a query that changes its sign turns the greatest into the least.",
            [
                relative_attention,
                attention_as_convolution,
                sharp_softmax,
                attention_as_max_pooling,
            ],
        ),
    ],
)
