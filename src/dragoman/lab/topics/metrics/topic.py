"""The topic of metrics and losses."""

from dragoman.lab.claims import measured
from dragoman.lab.topic import Section, Topic
from dragoman.lab.topics.metrics.bleu_steps import (
    clipped_counts,
    geometric_mean,
    overlap_fails,
    penalty_for_brevity,
    precision_of_an_example,
)
from dragoman.lab.topics.metrics.cross_entropy_loss import (
    sign_of_the_binary_loss,
    softmax_inside,
    sum_over_positions,
    unit_of_the_loss,
    worked_step,
)
from dragoman.lab.topics.metrics.squared_error import error_of_a_sequence, mean_is_best

BETTER_ON_NEGATIVES = measured(
    "C3",
    "Whether a classifier of reviews is better on negative ones is seen in the $F_1$ of each "
    "class, not in its accuracy; for an LSTM and a GRU the two classes are compared over several "
    "splits.",
    r"F_1 = \frac{2\,TP}{2\,TP + FP + FN}, \qquad "
    r"F_1^{\mathrm{negative}} - F_1^{\mathrm{positive}} > 0 \,?",
    experiment="sentiment",
)

TOPIC = Topic(
    id="K17",
    name="metrics",
    title="Metrics and losses",
    introduction="A loss is what training makes small; a metric is what people want to know. The "
    "first must have a useful gradient, the second must mean something. Cross entropy and squared "
    "error belong to the first kind, accuracy, $F_1$ and BLEU to the second. All of them are short "
    "formulas, and in all of them a sign, a base or a missing minimum changes the result, so this "
    "topic works them out with their numbers.",
    sections=[
        Section(
            "Cross entropy, word by word",
            "A model that predicts the next word gives every word a probability. The cross entropy "
            "asks for one of these only: that of the word which really came. Its negative "
            "logarithm is the loss, 0 for certainty, and growing without a bound as the "
            "probability goes to 0. Over a sentence the losses are added: its probability is a "
            "product, each word's given those before, and logarithms turn products into "
            "sums.\n\n"
            "The unit depends on the base of the logarithm: nats with base $e$, bits with base 2. "
            "Libraries use nats. They also want logits rather than probabilities, and take the "
            "softmax themselves, which is both faster and safe from overflow. To give them "
            "probabilities instead is a mistake that no error message reports: training still "
            "runs, only worse.",
            [worked_step, unit_of_the_loss, sum_over_positions, softmax_inside],
        ),
        Section(
            "Yes or no",
            "With two classes one probability is enough, and the cross entropy becomes the binary "
            "one. For each example only one of its two terms is alive: the first if the answer is "
            "yes, the second if it is no. Both are logarithms of numbers below 1, hence negative, "
            "and the minus sign has to turn both of them round.\n\n"
            "If it stands before the first only, the loss of every no is negative, and it falls "
            "without end the surer the model is of a wrong yes. Training would follow it there. "
            "For all positive examples the two forms agree, so a test on one example may well "
            "miss the slip.",
            [sign_of_the_binary_loss],
        ),
        Section(
            "Squared error",
            "Where the target is a number instead of a class, the usual loss is the square of the "
            "difference. A half before it is only there to cancel the 2 of the derivative, so that "
            "the gradient is the error itself, as it is for the cross entropy by its logits.\n\n"
            "What a loss makes of uncertainty is its most important property. If the same input "
            "can be followed by several outcomes, the squared error is smallest for their mean, "
            "even where the mean is something that never happens: the average of two sharp images "
            "is a blurred one. Applied to a probability it is called the Brier score, and its "
            "minimum is the true frequency.",
            [error_of_a_sequence, mean_is_best],
        ),
        Section(
            "BLEU, from overlap to score",
            "How good is a translation if there is one to compare with? Counting common words is a "
            "start, and fails at once: an output that repeats one good word has a perfect share. "
            "BLEU mends this in four steps. It clips the count of each word at what a reference "
            "has. It counts not only words but sequences of up to four, which rewards the right "
            "order. It joins the four precisions by a geometric mean, so that none can make up for "
            "another. And it punishes outputs that are shorter than the reference, because "
            "precision cannot see what is missing.\n\n"
            "Scores are meant for whole corpora. On a single sentence the count of four words is "
            "often 0, and with it the score, unless one smooths. Dragoman writes the steps out and "
            "reports sacrebleu's figures; here the two are compared.",
            [
                overlap_fails,
                precision_of_an_example,
                clipped_counts,
                geometric_mean,
                penalty_for_brevity,
            ],
        ),
        Section(
            "Looking at each class",
            "A single accuracy hides which mistakes are made. Precision says how much of what was "
            "called negative is negative, recall how much of what is negative was found, and $F_1$ "
            "is the harmonic mean of both, taken for each class by itself.\n\n"
            "That a classifier is better on one class than on another is a claim about such "
            "figures, and about chance as well: with a few hundred reviews the difference of two "
            "$F_1$ varies by several points from one split to the next. So it is measured over "
            "several seeds, with an interval, and only a difference that the interval keeps away "
            "from 0 counts.",
            [BETTER_ON_NEGATIVES],
        ),
    ],
)
