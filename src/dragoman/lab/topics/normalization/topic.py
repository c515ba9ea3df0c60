"""The topic of normalization and residual connections."""

from dragoman.lab.topic import Section, Topic
from dragoman.lab.topics.normalization.batch_norms import (
    columns_and_rows,
    deviation_not_error,
    learned_gain,
    learns_faster,
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
    name="norms-and-residuals",
    title="Normalization and residual connections",
    introduction=(
        "A deep network is a long product of layers, and long products tend to vanish or "
        "explode. Two techniques prevent that. Residual connections add the input of each layer "
        "to its output, so there is always a path along which nothing is multiplied. "
        "Normalization layers bring the activations back to a standard scale again and again. "
        "Both are simple enough to be checked to the last digit, and both are often described "
        "slightly wrong."
    ),
    sections=[
        Section(
            "Residual connections",
            "Let a layer compute what should be *added* to its input. The Jacobian of the "
            "combination is then $I$ plus that of the layer: whatever the layer does, the "
            "incoming gradient also arrives unchanged. In a stack of $n$ such layers, the "
            "product of the Jacobians expands into $2^n$ terms, one for each choice of going "
            "through or around every layer, and the term that goes around all of them is the "
            "identity.\n\n"
            "It also changes what a layer has to learn. To pass its input on, it only has to "
            "output zero, which small weights do by themselves, whereas a plain layer would "
            "have to learn the identity matrix. Whether this makes training faster has to be "
            "measured.",
            [residual_connection, faster_with_residuals, identity_is_easy],
        ),
        Section(
            "Batch norm",
            "Batch norm looks at one unit over all examples of a batch. It subtracts the mean "
            "and divides by the standard deviation, *not* by the standard error, which measures "
            "how precisely the mean is known and shrinks as the batch grows. The unit would now "
            "always have mean zero and standard deviation one, so a gain and a bias follow that "
            "can restore any other values. They are learned like any other parameter.\n\n"
            "The price is that the examples of a batch influence each other. At inference there "
            "may be no batch at all, so running averages of the statistics, collected during "
            "training, take their place, and the layer becomes a fixed affine function.",
            [deviation_not_error, learned_gain, learns_faster],
        ),
        Section(
            "Layer norm",
            "Layer norm is the same computation along the other axis: over the features of one "
            "token, independently of all other tokens. It works the same way in training and at "
            "inference, for one sentence or a thousand, which is why Transformers use it. For a "
            "matrix $X$ with a row for each token, layer norm of $X$ is batch norm of "
            "$X^\\top$, transposed back.\n\n"
            "What does it remove? Exactly two of $d$ dimensions: the direction $(1, …, 1)$, "
            "along which the mean varies, and the direction of the centered token itself, along "
            "which its scale varies. Nothing guarantees that these are uninformative. If the "
            "information was in the scale, it is gone, and noise in a single feature is still "
            "there.",
            [layer_norm, zero_mean, not_batch_norm, columns_and_rows, what_it_removes],
        ),
        Section(
            "Add & Norm",
            "The original Transformer combines the two: a residual connection around each "
            "sublayer, and a normalization of the sum. The normalization then sits on the path "
            "that was supposed to stay free, and deep stacks of this kind need a careful "
            "warm-up of the learning rate. If the normalization comes before the sublayer "
            "instead, inside the branch, the path from the embeddings to the output is a plain "
            "sum again. Both forms are in use, and a model trained with one cannot be run as "
            "the other.",
            [add_and_norm],
        ),
    ],
)
