"""The topic of gradient flow."""

from dragoman.lab.topic import Section, Topic
from dragoman.lab.topics.gradient_flow.chains import (
    bound_of_a_chain,
    dead_path,
    product_of_steps,
    relu_neuron,
)
from dragoman.lab.topics.gradient_flow.clipping import clipping_rescues
from dragoman.lab.topics.gradient_flow.recurrent import (
    LONG_SENTENCES,
    SHORT_MEMORY,
    layout_of_a_step,
    product_of_jacobians,
    vanishing,
)
from dragoman.lab.topics.gradient_flow.saturation import saturation, shut_gate
from dragoman.lab.topics.gradient_flow.sigmoid_bounds import (
    bound_of_a_product,
    jacobian_of_a_step,
    singular_values_of_products,
    slope_of_the_sigmoid,
)
from dragoman.lab.topics.gradient_flow.truncation import truncation

TOPIC = Topic(
    id="K3",
    name="gradient-flow",
    title="Gradient flow",
    introduction="A network learns from an error that is propagated back through everything "
    "that was computed. On the way it is multiplied again and again, and a product of many "
    "factors tends to zero or to infinity. This page follows the error through chains of single "
    "neurons, through matrices and through the cells of recurrent networks, and looks at the "
    "remedies: gradient clipping, truncation, other activations, and gates.",
    sections=[
        Section(
            "A chain of neurons",
            "Take the smallest deep network there is: a number passes through one neuron after "
            "another, and each neuron multiplies it by a weight and cuts off negative values. "
            "By the chain rule, the derivative of the output with respect to the input is the "
            "product of the derivatives of the steps, and each of these is either the weight or "
            "zero.\n\n"
            "Everything else follows. A single inactive neuron makes the whole product zero, so "
            "nothing before it learns from this example. If all neurons are active, the "
            r"derivative is the product of the weights. With weights of $\frac{1}{2}$, twelve "
            r"steps leave about $1/4000$; with weights of $\frac{3}{2}$, they give about 130. "
            "Only weights near 1 preserve the size of a gradient.",
            [relu_neuron, product_of_steps, dead_path, bound_of_a_chain],
        ),
        Section(
            "Sigmoids and singular values",
            "For vectors the factors become matrices, and the size of a factor becomes its "
            "largest *singular value*: the most by which it can stretch a vector. The largest "
            "singular value of a product cannot be read off the factors, but it can be bounded, "
            "and the bound is again a product.\n\n"
            "In a sigmoid RNN each factor is $W$ multiplied from the left by a diagonal matrix "
            "of slopes, and no slope exceeds $1/4$. So $W$ has to stretch by a factor of four "
            "just to compensate for its activation. With anything less, the gradient shrinks at "
            "every step, and no choice of inputs can prevent it. Move the slider for the "
            r"largest singular value past $\frac{1}{4}$ and see which of the two bounds still "
            "holds.",
            [
                jacobian_of_a_step,
                slope_of_the_sigmoid,
                singular_values_of_products,
                bound_of_a_product,
            ],
        ),
        Section(
            "Saturation",
            "Bounded activations have a second problem. Far from zero they are flat, and a unit "
            "there passes on almost no gradient, whatever its weights. A network that receives "
            "large inputs, or whose weights have grown large, is *saturated*: it still "
            "computes, but it no longer learns. The slope of an active ReLU, in contrast, is 1 "
            "for inputs of any size.\n\n"
            "Depth makes the difference visible. In a stack of convolutions without "
            "normalization, compare the gradient at the first layer with that at the last. With "
            "ReLU and suitably scaled initial weights, the two have a similar size at any "
            "depth. With sigmoids, every additional layer shrinks the gradient further.",
            [saturation],
        ),
        Section(
            "Recurrent networks",
            "Unrolled in time, a recurrent network is a deep network with the same weights in "
            "every layer. How strongly a hidden state depends on one many steps earlier is "
            "again a product of Jacobians, and this time it is nearly a power of one matrix, "
            "which is why it grows or shrinks so steadily. Change the spectral radius and watch "
            "the curves of the three cells.\n\n"
            "On paper it is easy to misplace a transpose here. The Jacobian of a step is $W$ "
            "times the slopes; transposing it also reverses the order of the factors.\n\n"
            "A vanishing gradient does not mean that a network cannot remember. It means that "
            "nothing teaches it to: the weights that would carry information over a long "
            "distance get no signal. What this does to accuracy only training can show, so two "
            "of the claims are decided by an experiment.",
            [product_of_jacobians, layout_of_a_step, vanishing, SHORT_MEMORY, LONG_SENTENCES],
        ),
        Section(
            "Clipping and truncation",
            "Exploding gradients are hard to miss: one step throws the weights so far off that "
            "the next loss is no longer a number. The remedy is blunt and works. If the "
            "gradient is longer than a threshold, it is scaled down to the threshold. Its "
            "direction, which is what gradient descent relies on, does not change.\n\n"
            "Truncation limits the length of the product itself. The sequence is processed in "
            "segments; the hidden state is carried from one segment to the next, but the "
            "gradient is not. This bounds memory and time, at a price: the result is no longer "
            "the gradient of the loss. Its angle to the true gradient shows the bias, and a "
            "dependency longer than a segment is invisible to learning.",
            [clipping_rescues, truncation],
        ),
        Section(
            "Gates that preserve the state",
            "If a product is to keep its size, its factors have to stay close to 1. Gates make "
            "that possible. The state of a GRU is a mixture of the old state and a candidate, "
            "and the update gate sets the proportion. When the gate is closed, the new state is "
            "the old one, bit for bit, and the Jacobian of the step is the identity: a hundred "
            "such steps are as good as one.\n\n"
            "Note what saturates here. The sigmoid of the *gate* is flat, so the gate itself "
            "learns little while it is closed. The gradient of the *state* passes through "
            "unchanged. A gate near zero is not a victim of vanishing gradients but the remedy "
            "for them.",
            [shut_gate],
        ),
    ],
)
