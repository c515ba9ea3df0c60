"""The topic of optimizers."""

from dragoman.lab.topic import Section, Topic
from dragoman.lab.topics.optimizers.adaptive import (
    adagrad_rule,
    adagrad_stops,
    one_rate_for_all,
    rmsprop_rule,
)
from dragoman.lab.topics.optimizers.averages import adam_rule, bias_correction, expansion
from dragoman.lab.topics.optimizers.batches import compromise, cost_of_an_update, mini_batch
from dragoman.lab.topics.optimizers.descent import (
    gradient_descent,
    one_step,
    saddles_and_valleys,
    steepest_descent,
)
from dragoman.lab.topics.optimizers.momentum import momentum, nesterov
from dragoman.lab.topics.optimizers.schedules import learning_rate, robbins_monro
from dragoman.lab.topics.optimizers.stochastic import fluctuation, one_example, printed_gradient

TOPIC = Topic(
    id="K2",
    name="optimizers",
    title="Optimizers",
    introduction=(
        "A loss is a landscape over the weights, and training is a walk downhill in fog: the "
        "only thing known is the gradient at the current point. The methods on this page differ "
        "in what they remember of earlier gradients and in how large a step they give each "
        "weight. Each one is followed step by step on loss functions whose paths can be "
        "computed exactly, and compared with the optimizer that training uses and with "
        "PyTorch's. Where an update rule in the notes has an error, the erroneous rule is "
        "followed too, so that you can see what it does: it crawls, it never settles, or it "
        "walks straight past the minimum."
    ),
    sections=[
        Section(
            "Gradient descent",
            r"Near a point $\theta$, a small move $u$ changes the loss by $\nabla L^\top u$. "
            "Among all moves of a given length, the negative gradient lowers the loss most, so "
            "that is where a step goes. The *learning rate* says how far.\n\n"
            "How far is too far? On a quadratic loss there is nothing to guess. Along a "
            r"direction of curvature $\lambda$, every step multiplies the distance from the "
            r"minimum by $1 - \varepsilon\lambda$. The distance shrinks as long as $\varepsilon "
            r"< 2/\lambda$, changes sign at every step once $\varepsilon > 1/\lambda$, and grows "
            r"beyond $2/\lambda$. A loss has many curvatures, but the learning rate is one "
            "number: the steepest direction sets the limit, and the flattest direction has to "
            "wait. At a saddle point, where the curvatures have both signs, there is no slope "
            "to follow at all.",
            [one_step, gradient_descent, steepest_descent, learning_rate, saddles_and_valleys],
        ),
        Section(
            "Batches",
            "The loss is a mean over all examples, and so is its gradient. An exact update has "
            "to visit every example. But a mean can be estimated: the gradient of one random "
            "example is right *on average*, and so is that of a batch of $m$ examples, with "
            "$1/m$ of the variance. Two slips are easy to make here. Dividing the loss of a "
            "single example by $N$ gives an estimate that is too small by exactly that factor, "
            "and a mean of losses, without the gradient, is not a direction at all.\n\n"
            "The checks do not sample. They enumerate every possible batch, or every possible "
            "sequence of examples, so that the means and variances are exact.",
            [
                cost_of_an_update,
                one_example,
                fluctuation,
                mini_batch,
                printed_gradient,
                compromise,
            ],
        ),
        Section(
            "Decaying the learning rate",
            "With noisy gradients a constant learning rate never arrives. The expected squared "
            "distance to the minimum settles where the pull toward the minimum, which shrinks "
            r"it by a fraction of about $2\varepsilon$ per step, balances the noise of each "
            r"step, $\varepsilon^2\sigma^2$. So the learning rate must decay, but not too "
            "fast. If the rates have a finite sum, the total distance is limited, wherever the "
            "minimum is. If their squares have an infinite sum, noise keeps being added. "
            "Robbins and Monro therefore asked for an infinite sum of rates and a finite sum of "
            "squares. That is sufficient, though more than this loss needs: here $1/\\sqrt{k}$ "
            "arrives as well, only later.\n\n"
            "With $1/k$, the weights on this loss are simply the running mean of the targets "
            "seen so far. In practice training is finite, and a small final learning rate is "
            "good enough.",
            [robbins_monro],
        ),
        Section(
            "Momentum",
            "In a narrow valley, the gradients across the valley change sign from step to step "
            "while those along it agree. A sum of past gradients lets the former cancel and the "
            r"latter add up: if a fraction $\alpha$ of the velocity is kept, a steady gradient "
            r"is amplified up to $1/(1-\alpha)$ times. Nesterov's version evaluates the "
            "gradient where the velocity is about to lead, so it starts to brake one step "
            "earlier.\n\n"
            r"Both rules are easy to get wrong on paper. An extra $\alpha$ merely lowers the "
            "learning rate. A look-ahead point that starts from the previous look-ahead point "
            "is worse: it follows a path of its own, finds the minimum there, and leaves the "
            "weights somewhere else.",
            [momentum, nesterov],
        ),
        Section(
            "A learning rate for each weight",
            "Momentum still gives all weights the same learning rate. If the gradient of one "
            "coordinate is always a thousand times larger than that of another, it helps to "
            "divide each by its own typical size. AdaGrad uses the square root of the *sum* of "
            "past squares. Rescaling a coordinate then changes nothing, because the scale "
            "cancels: an axis-aligned narrow valley looks like a round bowl. The price is that "
            "the sum never shrinks, so the steps do, whether or not a minimum is near. RMSProp "
            "uses a moving *average* instead, which forgets what was steep long ago.",
            [one_rate_for_all, adagrad_rule, adagrad_stops, rmsprop_rule],
        ),
        Section(
            "Moving averages and Adam",
            r"An exponential moving average weights the past by powers of $\beta$. Since it "
            "starts at zero, the weights of the values actually seen sum not to 1 but to "
            r"$1-\beta^t$: after one step with $\beta = 0.999$ the average is a thousandth of "
            "what it should be. Adam, which combines momentum and RMSProp, divides both of its "
            "averages by these sums. The power $t$ matters. Without it the correction is right "
            "for the first step only; with the usual settings the steps then double within a "
            "dozen updates and end at less than a third of the intended length.",
            [expansion, bias_correction, adam_rule],
        ),
    ],
)
