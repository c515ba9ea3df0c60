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
        "How large a network is and what one training step costs is known before any training: "
        "both follow from its settings. Every figure on this page is computed three times: by "
        "the formula of the notes; by the counter of `dragoman plan count`, which walks through "
        "the network using shapes alone; and from the network itself, built on PyTorch's `meta` "
        "device, where tensors have shapes but no data, while PyTorch counts the operations."
    ),
    sections=[
        Section(
            "A Transformer, part by part",
            "Follow a batch through an encoder and a decoder. It enters as words, becomes "
            "vectors of width $d$, and keeps that shape through every layer. Only the scores at "
            "the end are as wide as the vocabulary, and for long texts they are the largest "
            "tensor of all.\n\n"
            "The weights are in few places. An embedding has $V d$ of them. Attention has four "
            "matrices between $d$ and the total width $d_h$ of the heads; how that width is "
            "divided among the heads makes no difference. A feed-forward network has two "
            "matrices, and a norm has two vectors. The sum is exact to the last weight, but it "
            "depends on what is shared: with three embeddings instead of one, the network of "
            "the notes has 201 million parameters instead of 140 million.",
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
            "The cost of a step",
            r"Multiplying an $n \times i$ by an $i \times o$ matrix takes $n i o$ "
            "multiplications and about as many additions: $2nio$ FLOPs. Everything else in a "
            "network is small compared with its matrix products. The backward pass needs two "
            "more products for each, one for the gradient of the layer's input and one for the "
            "gradient of its weights. So a training step costs about three forward passes, or "
            "about $6N$ FLOPs per token for a network with $N$ weights.\n\n"
            "What this leaves out is the comparisons of attention, which involve no weights: "
            "they cost on the order of $n^2 d$, where a recurrent layer costs $n d^2$. As long "
            "as texts are shorter than hidden states are wide, the comparisons are cheaper than "
            "a recurrent layer.",
            [study_formulas, quadratic_in_length],
        ),
        Section(
            "Convolutional networks",
            r"A $K \times K$ filter over $C$ feature maps performs $K^2 C$ multiplications at "
            "every position of its output. So the convolutions near the input, where the maps "
            "are large, do most of the work with few of the weights, and VGG, which has many of "
            "them, is an expensive network.\n\n"
            r"An inception module runs filters of several sizes in parallel, and its $5 \times "
            r"5$ filters alone would do most of the work. A $1 \times 1$ convolution in front, "
            "which reduces 256 maps to 64, makes them four times cheaper. Many lectures leave "
            "adding up the six terms to the reader, with varying results.",
            [vgg_is_costly, naive_inception, bottleneck_inception],
        ),
    ],
)
