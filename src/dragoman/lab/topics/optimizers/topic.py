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
        "A loss is a landscape over the weights, and training is a walk downhill in the fog: the "
        "gradient under one's feet is all that is known. The methods below differ in what they "
        "remember of earlier gradients, and in how much of a step each weight is given. Each of "
        "them is followed here, step by step, over landscapes whose paths can be computed on "
        "paper, beside the optimizers that a training uses and beside those of torch. Where a rule "
        "of the notes is misprinted, the misprint is followed too: it stands still, crawls, or "
        "walks past the minimum."
    ),
    sections=[
        Section(
            "Downhill",
            "Near a place $\\theta$ the loss changes by $\\nabla L^\\top u$ for a small move $u$. "
            "Of all moves of one length the negative gradient lowers it most, so that is where a "
            "step goes, and the *learning rate* says how far.\n\n"
            "How far is too far? On a quadratic loss nothing has to be guessed. Along a direction "
            "of curvature $\\lambda$ every step multiplies the distance from the minimum by "
            "$1 - \\varepsilon\\lambda$. It shrinks as long as $\\varepsilon < 2/\\lambda$, "
            "changes sides from $1/\\lambda$ on, and grows beyond $2/\\lambda$. A loss has many "
            "curvatures and the rate is one number: the steepest direction sets its limit, and the "
            "flattest one must wait. Where curvatures have both signs, at a saddle, there is no "
            "slope at all to follow.",
            [one_step, gradient_descent, steepest_descent, learning_rate, saddles_and_valleys],
        ),
        Section(
            "Batches",
            "The loss is a mean over all examples, and so is its gradient; an update that looks at "
            "all of them costs as many gradients as there are. But a mean can be estimated. The "
            "gradient of one random example is right *on average*, and that of $m$ examples is so "
            "with an $m$-th of the variance. Note what must not be done to it: dividing the one "
            "example's loss by $N$ makes an estimate that is too small by just that factor, and a "
            "mean of losses is no direction.\n\n"
            "The checks do not sample. They look at every batch there is, or at every sequence of "
            "examples, so that the means and variances are exact.",
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
            "Rates that fall",
            "With noisy gradients a constant rate never arrives: the expected squared distance "
            "settles where the pull towards the minimum, $2\\varepsilon$, and the noise of each "
            "step, $\\varepsilon^2\\sigma^2$, balance. So the rate must fall, but not too fast. "
            "Rates that sum to a finite number can only walk a finite way, wherever the minimum "
            "is; rates that stay up keep adding noise. Robbins and Monro asked for the first sum "
            "to be infinite and that of the squares to be finite. That is enough, though more "
            "than a kind landscape needs: on our bowl $1/\\sqrt{k}$ arrives as well, only later. "
            "With $1/k$ the walk is simply the running mean of what it has seen. In practice a "
            "training ends, and a small last rate is good enough.",
            [robbins_monro],
        ),
        Section(
            "Momentum",
            "In a valley, gradients across it change their sign from step to step while those "
            "along it agree. A sum of past gradients lets the first cancel and the second add up: "
            "with a share $\\alpha$ of the velocity kept, steady gradients count up to "
            "$1/(1-\\alpha)$ times. Nesterov's version looks at the gradient where the velocity "
            "is about to lead, and so brakes before it is too late.\n\n"
            "Both are easily misprinted. An extra $\\alpha$ only makes the rate smaller. A look "
            "ahead that starts from the last look is worse: it follows a path of its own, finds "
            "the minimum there, and leaves the weights somewhere else.",
            [momentum, nesterov],
        ),
        Section(
            "A rate for each weight",
            "Momentum still gives all weights one rate. If the gradient of one coordinate is "
            "always a thousand times larger than that of another, it helps to divide each by its "
            "own usual size. AdaGrad takes the root of the *sum* of squares so far. Scaling a "
            "coordinate then changes nothing at all, for the scale cancels: a narrow valley along "
            "the axes looks like a round bowl. The price is that a sum never shrinks and the steps "
            "do, whether there is a minimum near or not. RMSProp takes a running *mean* instead, "
            "which forgets what was steep long ago.",
            [one_rate_for_all, adagrad_rule, adagrad_stops, rmsprop_rule],
        ),
        Section(
            "Running means, and Adam",
            "A running mean weighs the past by powers of $\\beta$. Since it begins at zero, the "
            "weights of what it has really seen do not sum to one but to $1-\\beta^t$: after one "
            "step with $\\beta = 0.999$ it is a thousandth of what it should be. Adam, which is "
            "momentum and RMSProp in one, divides both of its means by these sums. The power "
            "matters. Without it the correction is right for the first step only; with the usual "
            "shares the steps then double within a dozen updates and end at less than a third of "
            "what was asked for.",
            [expansion, bias_correction, adam_rule],
        ),
    ],
)
