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
    introduction="A training step needs the derivative of one number, the loss, with respect to "
    "millions of weights. Matrix calculus is the bookkeeping that keeps this readable: which "
    "shape a derivative has, in which order its factors are multiplied, and where a transpose "
    "belongs. Most mistakes in hand-written backward passes are mistakes of this kind, and all "
    "of them can be caught by comparing with automatic differentiation. Every claim on this "
    "page does exactly that.",
    sections=[
        Section(
            "Scalars and vectors",
            "The derivative of a scalar with respect to a scalar is a scalar. If the variable "
            "becomes a vector, there is one partial derivative for each of its entries; if the "
            "function becomes vector-valued, there is one derivative for each output. The "
            "numbers themselves are never in doubt. What needs a convention is how they are "
            "arranged.\n\n"
            "Written as a column, the partial derivatives of $f$ form its *gradient*. It has "
            "the shape of the point at which it is taken, so gradient descent can subtract it "
            "from that point. Written as a row, the same numbers are what the chain rule needs: "
            "a row times a column of small changes is the change of $f$. A vector that depends "
            "on one scalar, such as a moving point, has a column of derivatives: its "
            "velocity.",
            [gradient_is_a_column, vector_by_scalar, scalar_by_vector],
        ),
        Section(
            "Jacobians and the two layouts",
            "When both sides are vectors, the derivatives fill a matrix. With a row for each "
            "output and a column for each input it is the *Jacobian* in *numerator layout*: the "
            "dimensions of the numerator, followed by those of the denominator, transposed. The "
            "same rule covers matrices, as long as the other side is a scalar.\n\n"
            "Other books transpose everything and call it *denominator layout*. Neither is more "
            "correct. But the order of the factors in the chain rule reverses with the layout, "
            "and a formula that takes one factor from each is wrong unless a matrix happens to "
            "be symmetric. PyTorch stores the gradient of a weight in the shape of the weight, "
            "which is denominator layout; `torch.func.jacrev` puts outputs before inputs, which "
            "is numerator layout.",
            [vector_by_vector, matrix_by_scalar, scalar_by_matrix, two_layouts],
        ),
        Section(
            "Products",
            "Networks are built from three kinds of product: a matrix times a vector in each "
            "layer, an inner product in each attention score, and an elementwise product in "
            "each gate. Their derivatives all come from the rule for two numbers. In $L = ab$ "
            "the derivative with respect to one factor is the other, and if both factors depend "
            "on the same variable, the two contributions add up.\n\n"
            "For a matrix product this means that a constant matrix stays where it is. An inner "
            "product gives two terms, one for each vector, both differentiated with respect to "
            "the same variable. An elementwise product has a diagonal Jacobian, which is why "
            "the backward pass through a gate needs no matrix multiplication at all.",
            [product_rule, hadamard_product, constant_matrix, inner_product],
        ),
        Section(
            "Where the gradient points",
            "Picture a landscape and its contour lines. Along a contour the height stays the "
            "same, so the rate of change in that direction is zero. Since the rate of change is "
            "the inner product of gradient and direction, the gradient must be perpendicular to "
            r"the contour. Turn away from the gradient by an angle $\theta$ and the slope drops "
            r"to $\cos\theta$ times the steepest one. So no direction climbs faster than the "
            "gradient, and none descends faster than its opposite.\n\n"
            "This is all that gradient descent rests on. It also shows what is *not* promised: "
            "the negative gradient is the best direction for a sufficiently short step. About "
            "longer steps it says nothing.",
            [gradient_and_level_surface, fastest_change],
        ),
        Section(
            "Where every backward pass starts",
            "A network that predicts words ends in a softmax and a cross-entropy loss. Each has "
            "an awkward derivative by itself: the Jacobian of the softmax is a full matrix, and "
            "the derivative of the logarithm divides by a probability that may be tiny. "
            "Combined, they simplify. The gradient with respect to the logits is the predicted "
            "distribution minus the true one. No entry exceeds 1 in absolute value, and it is "
            "zero exactly when the prediction equals the target.\n\n"
            "From there the chain rule takes over. Multiplying by the transpose of the output "
            "matrix carries the error to the hidden state, and the outer product with the "
            "hidden state gives the gradient of the matrix itself. Dragoman computes both in "
            "chunks, without ever storing all logits; the claims check that the result is the "
            "same.",
            [gradient_by_logits, gradient_by_state],
        ),
    ],
)
