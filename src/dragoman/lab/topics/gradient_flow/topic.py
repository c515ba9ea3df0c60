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
    introduction="A network learns from an error that travels back through everything that was "
    "computed. On its way it is multiplied again and again, and a product of many factors has a "
    "strong wish to become nought or infinite. This topic follows the error through chains of "
    "single neurons, through matrices, and through the cells of recurrent networks, and looks at "
    "what is done about it: clipping, truncation, other activations, gates.",
    sections=[
        Section(
            "A chain of single neurons",
            "Take the smallest network there is: a number goes through one neuron after another, "
            "each of which multiplies it by a weight and cuts off what is negative. The chain rule "
            "says that the derivative of the end by the beginning is the product of the "
            "derivatives of all steps, and each of these is either the weight or nought.\n\n"
            "Everything else follows. One neuron that is off makes the whole product nought: "
            "nothing before it learns anything from this example. If all are on, the derivative is "
            "the product of the weights. With weights of $\\frac{1}{2}$, a dozen steps leave a "
            "four-thousandth; with weights of $\\frac{3}{2}$ they give more than a hundred. Only "
            "weights near 1 keep a gradient the size that it had.",
            [relu_neuron, product_of_steps, dead_path, bound_of_a_chain],
        ),
        Section(
            "Sigmoids and singular values",
            "With vectors the factors become matrices, and the size of a factor becomes its "
            "largest *singular value*: the most by which it can stretch a vector. Singular values "
            "of a product are harder to come by than those of the factors, but they obey a bound, "
            "and the bound is a product again.\n\n"
            "For a recurrent network with sigmoids each factor is $W$ with a diagonal matrix of "
            "slopes before it. No slope exceeds a quarter. So $W$ has to stretch by four just to "
            "make up for its activation; with anything less, the gradient shrinks at every step, "
            "and no choice of inputs can prevent it. Move the slider for the largest singular "
            "value past $\\frac{1}{4}$ and see which of the two bounds still holds.",
            [
                jacobian_of_a_step,
                slope_of_the_sigmoid,
                singular_values_of_products,
                bound_of_a_product,
            ],
        ),
        Section(
            "Saturation",
            "Bounded activations have a second problem. Far from nought they are flat, and a unit "
            "there passes on next to nothing, whatever its weights. A network that is fed large "
            "numbers, or that has grown large weights, is *saturated*: it still computes, but it "
            "no longer learns. Large inputs leave the slope of ReLU as it is, for every unit that "
            "is on.\n\n"
            "Depth makes the difference visible. In a stack of convolutions without "
            "normalization, the gradient that arrives at the first layer is compared with that of "
            "the last. With ReLU, and first weights of the right size, the two are alike at any "
            "depth. With sigmoids each further layer takes its share.",
            [saturation],
        ),
        Section(
            "Through the states of a recurrent network",
            "A recurrent network is a deep network with the same weights in every layer. How much "
            "a state owes to one many steps earlier is again a product of Jacobians, and this time "
            "it is nearly the power of one matrix, which is why it grows or shrinks so evenly. "
            "Change the spectral radius and watch the curves of the three cells.\n\n"
            "On paper it is easy to lose a transpose here. The Jacobian of a step is $W$ times the "
            "slopes; whoever transposes one factor has to transpose the other and swap them "
            "too.\n\n"
            "A vanishing gradient does not mean that a network cannot remember. It means that "
            "nothing tells it to: the weights that would carry a fact over a long distance get no "
            "signal. What that does to accuracy, only training can show, and two claims are left "
            "to an experiment.",
            [product_of_jacobians, layout_of_a_step, vanishing, SHORT_MEMORY, LONG_SENTENCES],
        ),
        Section(
            "Clipping and truncation",
            "Exploding gradients are loud: one step throws the weights so far off that the next "
            "loss is no longer a number. The cure is blunt and works. If the gradient is longer "
            "than a threshold, it is scaled down to it; the direction is kept, and a direction is "
            "all that a gradient was ever good for.\n\n"
            "Truncation limits the length of the product itself. The sequence is read in segments; "
            "the state is handed on from one to the next, the gradient is not. That bounds memory "
            "and time, at a price: the gradient is no longer that of the loss. Its angle to the "
            "true one is the bias that you accept, and a dependency that is longer than a segment "
            "is invisible to learning.",
            [clipping_rescues, truncation],
        ),
        Section(
            "Gates that keep",
            "If a product is to stay the size that it is, its factors have to be 1. Gates make "
            "that possible. The state of a GRU is a mixture of the old state and a new one, and "
            "the update gate says in which proportion. When the gate is shut, the new state is the "
            "old one, bit for bit, and the Jacobian of the step is the identity: a hundred such "
            "steps are as good as one.\n\n"
            "Note what saturates here. The sigmoid of the *gate* is flat, so the gate itself "
            "learns little while it is shut. The gradient of the *state* passes it undisturbed. A "
            "gate near nought is not a casualty of vanishing gradients but the remedy for them.",
            [shut_gate],
        ),
    ],
)
