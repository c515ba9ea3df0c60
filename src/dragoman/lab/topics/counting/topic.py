"""The topic of parameters and FLOPs."""

from dragoman.lab.topic import Section, Topic
from dragoman.lab.topics.counting.costs import quadratic_in_length, study_formulas
from dragoman.lab.topics.counting.images import (
    bottleneck_inception,
    naive_inception,
    vgg_is_costly,
)
from dragoman.lab.topics.counting.transformers import (
    attention_parameters,
    embedding_parameters,
    feed_forward_parameters,
    norm_parameters,
    signal_sizes,
    transformer_parameters,
)

TOPIC = Topic(
    id="K15",
    name="counting",
    title="Parameters and FLOPs",
    introduction=(
        "How large a network is, and what one step with it costs, is known before anything is "
        "trained: both follow from its settings. Every figure here is computed three times over. "
        "Once by the formula of the notes; once by the counter behind `dragoman count`, which "
        "walks through the network on shapes alone; and once by the network itself, built on "
        "torch's `meta` device, where tensors have shapes and no numbers, with torch counting the "
        "products."
    ),
    sections=[
        Section(
            "A Transformer, part by part",
            "Follow a batch through an encoder and a decoder. It comes in as words, becomes "
            "vectors of width $d$, and keeps that shape through every layer; only the scores at "
            "the end are as wide as the vocabulary, and with long texts they are the largest "
            "tensor there is.\n\n"
            "The weights are in few places. An embedding has $V d$ of them. Attention has four "
            "matrices between $d$ and the heads' common width $d_h$; how that is divided among "
            "the heads makes no difference. A feed-forward network has two matrices and a norm "
            "has two vectors. The sum is exact to the last weight, but it hangs on what is "
            "shared: with three embeddings in place of one, the network of the notes has 201 "
            "million parameters and not 140.",
            [
                signal_sizes,
                embedding_parameters,
                attention_parameters,
                norm_parameters,
                feed_forward_parameters,
                transformer_parameters,
            ],
        ),
        Section(
            "The work of a step",
            "A product of an $n \\times i$ and an $i \\times o$ matrix takes $n i o$ "
            "multiplications and as many additions: $2nio$ FLOPs. All else in a network is small "
            "beside its products. The backward pass makes two more for each, one for the gradient "
            "of what the layer read and one for that of its weights, so that a step costs about "
            "three forward passes, and about $6N$ FLOPs for each token of a network with $N$ "
            "weights.\n\n"
            "What that leaves out are the comparisons of attention, which have no weights: $n^2 "
            "d$ of them, where recurrent layers need $n d^2$. While texts are shorter than states "
            "are wide, these comparisons cost less than a recurrent layer does.",
            [study_formulas, quadratic_in_length],
        ),
        Section(
            "Images",
            "A filter of $K \\times K$ over $C$ maps multiplies $K^2 C$ numbers at every place of "
            "what it writes. So convolutions near the input, where the maps are large, do most of "
            "the work with few of the weights, and VGG, with many of them, is a costly "
            "network.\n\n"
            "An inception module lays filters of several sizes side by side, and its $5 \\times "
            "5$ filters alone would take most of the work. A $1 \\times 1$ convolution in front, "
            "which leaves 64 of 256 maps, makes them four times cheaper. Adding up the six terms "
            "is left to the reader in many lectures, with various results.",
            [vgg_is_costly, naive_inception, bottleneck_inception],
        ),
    ],
)
