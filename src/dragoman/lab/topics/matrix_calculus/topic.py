"""The topic of matrix calculus."""

from dragoman.lab.topic import Section, Topic
from dragoman.lab.topics.matrix_calculus.cross_entropy_gradient import (
    gradient_by_logits,
    gradient_by_state,
)
from dragoman.lab.topics.matrix_calculus.derivatives import (
    gradient_is_a_column,
    matrix_by_scalar,
    scalar_by_matrix,
    scalar_by_vector,
    two_layouts,
    vector_by_scalar,
    vector_by_vector,
)
from dragoman.lab.topics.matrix_calculus.identities import constant_matrix, inner_product
from dragoman.lab.topics.matrix_calculus.level_sets import (
    fastest_change,
    gradient_and_level_surface,
)
from dragoman.lab.topics.matrix_calculus.products import hadamard_product, product_rule

TOPIC = Topic(
    id="K1",
    name="matrix-calculus",
    title="Matrix calculus",
    introduction="A training step needs the derivative of one number, the loss, by millions of "
    "others. Matrix calculus is the bookkeeping that makes this readable: which shape a derivative "
    "has, in which order its factors stand, and where a transpose belongs. Most mistakes in "
    "handwritten backward passes are mistakes of this kind, and every one of them can be found by "
    "comparing with automatic differentiation, as each claim here does.",
    sections=[
        Section(
            "One number, many numbers",
            "The derivative of one number by another is a number. Let the lower one become a "
            "vector and there is a partial derivative for each entry; let the upper one become a "
            "vector and there is a derivative of each entry. The numbers themselves are never in "
            "doubt. What has to be agreed upon is how they are laid out.\n\n"
            "Written as a column, the partial derivatives of $f$ are its *gradient*. It has the "
            "shape of the point at which it is taken, so a step of gradient descent can subtract "
            "it from that point. Written as a row, the same numbers are what the chain rule wants, "
            "since a row times a column of small changes is the change of $f$. A vector that "
            "depends on one number, such as a moving point, has a column of derivatives: its "
            "velocity.",
            [gradient_is_a_column, vector_by_scalar, scalar_by_vector],
        ),
        Section(
            "Jacobians and the two layouts",
            "When both sides are vectors, the derivatives fill a table. With a row for each output "
            "and a column for each input it is the *Jacobian* in *numerator layout*: the "
            "dimensions of what stands above, then those of what stands below, transposed. This "
            "rule covers matrices too, as long as the other side is a number.\n\n"
            "Other books transpose all of it and call that *denominator layout*. Neither is more "
            "right. But in a product of derivatives the order of the factors turns round with the "
            "layout, and a formula that takes one factor from either is wrong unless a matrix "
            "happens to be symmetric. PyTorch keeps the gradient of a weight in the shape of the "
            "weight, which is denominator layout; `torch.func.jacrev` puts outputs before inputs, "
            "which is numerator layout.",
            [vector_by_vector, matrix_by_scalar, scalar_by_matrix, two_layouts],
        ),
        Section(
            "Products",
            "Networks are made of three products: a matrix times a vector in each layer, an inner "
            "product in each attention score, and a product entry by entry in each gate. Their "
            "derivatives all come from the rule for two numbers. In $L = ab$ each factor is the "
            "slope of the other, and if both depend on something else, both terms are added.\n\n"
            "For the matrix product this means that a constant matrix simply stays where it is. "
            "For the inner product there are two terms, one for each vector, both by the same "
            "variable. For the product entry by entry, the Jacobian is a diagonal matrix, which is "
            "why backward passes through gates need no matrix at all.",
            [product_rule, hadamard_product, constant_matrix, inner_product],
        ),
        Section(
            "What the gradient points to",
            "Imagine a landscape and its contour lines. Along a contour the height stays the same, "
            "so the rate of change in that direction is nought; and as the rate of change is the "
            "inner product of gradient and direction, the gradient must stand at right angles to "
            "the contour. Turn away from it by an angle $\\theta$ and what is left is the share "
            "$\\cos\\theta$ of the steepest slope. So no direction climbs faster than the "
            "gradient, and none falls faster than its opposite.\n\n"
            "That is all that gradient descent rests on. It also says what it does not promise: "
            "the direction is the best one for a step that is short enough, and nothing is said "
            "of longer ones.",
            [gradient_and_level_surface, fastest_change],
        ),
        Section(
            "The gradient that starts every backward pass",
            "A network that predicts words ends in a softmax and a cross entropy. Each by itself "
            "has an awkward derivative: that of the softmax is a full matrix, that of the "
            "logarithm divides by a probability which may be tiny. Taken together they collapse. "
            "The gradient by the logits is the predicted distribution less the true one, bounded "
            "by 1 in every entry, and nought exactly when the prediction is right.\n\n"
            "From there the chain rule takes over. One more factor, the transpose of the output "
            "matrix, carries the error to the state of the network, and the outer product with the "
            "state gives the gradient of the matrix itself. Dragoman computes both in chunks, "
            "without ever keeping all logits; the claims check that nothing is lost by it.",
            [gradient_by_logits, gradient_by_state],
        ),
    ],
)
