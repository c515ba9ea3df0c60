"""The topic of normalization and residual connections."""

from dragoman.lab.topic import Section, Topic
from dragoman.lab.topics.normalization.batch_norms import (
    columns_and_rows,
    deviation_not_error,
    learned_gain,
)
from dragoman.lab.topics.normalization.layer_norms import (
    layer_norm,
    not_batch_norm,
    what_it_removes,
    zero_mean,
)
from dragoman.lab.topics.normalization.residuals import (
    add_and_norm,
    faster_with_residuals,
    identity_is_easy,
    residual_connection,
)

TOPIC = Topic(
    id="K10",
    name="normalization",
    title="Normalization and residual connections",
    introduction=(
        "A deep network is a long product of layers, and a long product tends to become nothing "
        "or everything. Two habits keep it in between. Residual connections add to each layer's "
        "output what the layer read, so that there is always a path on which nothing is "
        "multiplied. Norms bring what flows through the network to one size again and again. Both "
        "are simple enough to be checked to the last digit, and both are often described a little "
        "wrongly."
    ),
    sections=[
        Section(
            "The path around a layer",
            "Let a layer say what should be *added* to what it has read. The Jacobian of the pair "
            "is then $I$ plus that of the layer: whatever the layer does, the gradient from behind "
            "also arrives as it is. In a stack of $n$ such layers the product of the Jacobians has "
            "$2^n$ terms, one for each choice of layers to go through or around, and the term that "
            "goes around all of them is the identity.\n\n"
            "What a layer has to learn changes as well. To hand on what it reads it need only say "
            "nothing, which small weights do by themselves, whereas a plain layer has to become an "
            "identity matrix. Whether that makes training faster is for trainings to say.",
            [residual_connection, faster_with_residuals, identity_is_easy],
        ),
        Section(
            "Over a batch",
            "Batch norm looks at one unit over all examples of a batch. It takes the mean away and "
            "divides by the standard deviation, *not* by the standard error, which says how surely "
            "the mean is known and shrinks as the batch grows. The unit would be left with mean "
            "zero and deviation one for ever, if a gain and a bias did not follow; these are "
            "learned like any weight.\n\n"
            "The price is that the examples of a batch see each other. At inference there may be "
            "no batch, so running averages of the statistics, kept during training, take their "
            "place, and the layer becomes a fixed straight line.",
            [deviation_not_error, learned_gain],
        ),
        Section(
            "Over a token",
            "Layer norm is the same arithmetic along the other axis: the features of one token, "
            "with no regard to any other. It works alike in training and in use, for one sentence "
            "or a thousand, which is why Transformers have it. Written as a matrix with a row for "
            "each token, layer norm of $X$ is batch norm of $X^\\top$.\n\n"
            "What does it take away? Exactly two of $d$ dimensions: the direction $(1, …, 1)$, "
            "along which the mean lies, and the direction of the token itself, along which its "
            "size lies. Nobody has asked whether these are informative. If the message was in the "
            "size, it is gone, and noise in a single feature is still there.",
            [layer_norm, zero_mean, not_batch_norm, columns_and_rows, what_it_removes],
        ),
        Section(
            "Add and norm",
            "The first Transformer put both together: around each sublayer a connection, and "
            "behind the sum a norm. That norm stands on the path that was to be kept free, and "
            "deep stacks of this kind need a careful warm-up of the learning rate. With the norm "
            "in front of the sublayer, inside the branch, the path from the embeddings to the "
            "output is a plain sum again. Both forms are in use, and a network trained with one "
            "cannot be run as the other.",
            [add_and_norm],
        ),
    ],
)
