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
    "Whether a classifier of reviews is better on negative ones shows in the $F_1$ of each "
    "class, not in the accuracy. For an LSTM and a GRU the two classes are compared over "
    "several splits.",
    r"F_1 = \frac{2\,TP}{2\,TP + FP + FN}, \qquad "
    r"F_1^{\mathrm{negative}} - F_1^{\mathrm{positive}} > 0 \,?",
    experiment="sentiment",
)

TOPIC = Topic(
    id="K17",
    name="metrics",
    title="Metrics and losses",
    introduction="A loss is what training minimizes; a metric is what people want to know. A "
    "loss needs a useful gradient, a metric needs a clear meaning. Cross entropy and squared "
    "error are losses; accuracy, $F_1$ and BLEU are metrics. All of them are short formulas, "
    "and in each of them a sign, the base of a logarithm or a forgotten minimum changes the "
    "result. So this page works them out with their numbers.",
    sections=[
        Section(
            "Cross entropy, word by word",
            "A model that predicts the next word assigns a probability to every word. The cross "
            "entropy looks at only one of them: that of the word that actually follows. Its "
            "negative logarithm is the loss. It is 0 for a probability of 1 and grows without "
            "bound as the probability goes to 0. Over a sentence the losses add up: the "
            "probability of the sentence is a product of conditional probabilities, and "
            "logarithms turn products into sums.\n\n"
            "The unit depends on the base of the logarithm: nats for base $e$, bits for base 2. "
            "Libraries use nats. They also expect logits rather than probabilities and apply "
            "the softmax themselves, which is faster and numerically safe. Passing "
            "probabilities instead is a mistake that causes no error message: training still "
            "runs, but it learns badly.",
            [worked_step, unit_of_the_loss, sum_over_positions, softmax_inside],
        ),
        Section(
            "Binary cross entropy",
            "With two classes one probability is enough, and the cross entropy becomes the "
            "binary cross entropy. For each example only one of its two terms is nonzero: the "
            "first if the answer is yes, the second if it is no. Both are logarithms of numbers "
            "below 1, hence negative, and the minus sign has to apply to both.\n\n"
            "If it applies to the first term only, the loss of every negative example is "
            "negative, and it decreases without bound as the model becomes more confident of a "
            "wrong “yes”. Training would go there. For positive examples the two forms agree, "
            "so a test on a single example may well miss the error.",
            [sign_of_the_binary_loss],
        ),
        Section(
            "Squared error",
            "If the target is a number instead of a class, the usual loss is the squared "
            r"difference. The factor $\frac{1}{2}$ only cancels the 2 of the derivative, so "
            "that the gradient is the error itself, just as it is for the cross entropy with "
            "respect to its logits.\n\n"
            "The most important property of a loss is how it treats uncertainty. If the same "
            "input can lead to several outcomes, the squared error is smallest for their mean, "
            "even if the mean is something that never happens: the average of two sharp images "
            "is a blurred one. For probabilities of a yes-or-no outcome the squared error is "
            "called the Brier score, and it is smallest at the true frequency.",
            [error_of_a_sequence, mean_is_best],
        ),
        Section(
            "BLEU, step by step",
            "How good is a translation, given a reference to compare it with? Counting common "
            "words is a start, and fails at once: an output that repeats one good word gets a "
            "perfect score. BLEU fixes this in four steps. It clips the count of each word at "
            "its count in the reference. It counts not only words but n-grams of up to four "
            "words, which rewards correct word order. It combines the four precisions by a "
            "geometric mean, so that none can fully make up for another. And it penalizes "
            "outputs that are shorter than the reference, because precision cannot see what is "
            "missing.\n\n"
            "BLEU is meant for whole corpora. On a single sentence the count of matching "
            "4-grams is often 0, and with it the score, unless the counts are smoothed. "
            "Dragoman has its own step-by-step implementation and reports the scores of "
            "sacrebleu; the claims compare the two.",
            [
                overlap_fails,
                precision_of_an_example,
                clipped_counts,
                geometric_mean,
                penalty_for_brevity,
            ],
        ),
        Section(
            "Scores for each class",
            "A single accuracy hides which mistakes are made. Precision is the fraction of "
            "reviews classified as negative that are negative; recall is the fraction of "
            "negative reviews that are found; $F_1$ is the harmonic mean of the two. All three "
            "are computed for each class separately.\n\n"
            "That a classifier is better on one class than on another is a claim about such "
            "figures, and also about chance: with a few hundred reviews, the difference between "
            "two $F_1$ scores varies by several points from one split to the next. So it is "
            "measured over several seeds, with a confidence interval, and only a difference "
            "whose interval excludes 0 counts.",
            [BETTER_ON_NEGATIVES],
        ),
    ],
)
