"""The topic of adaptation."""

from dragoman.lab.topic import Section, Topic
from dragoman.lab.topics.adaptation.classes import class_of_the_first_state, verbal_arithmetic
from dragoman.lab.topics.adaptation.measured import (
    CHAIN_OF_THOUGHT,
    FROZEN_ACCURACY,
    IN_CONTEXT,
    LESS_OVERFITTING,
    NO_WEIGHTING,
    PRETRAINING_TEXT,
)
from dragoman.lab.topics.adaptation.ways_to_adapt import (
    frozen_body,
    full_fine_tuning,
    low_rank_difference,
    prefix_tuning,
)

A_NEW_HEAD = """\
A pretrained network turns a text into states, one for each token. To make a classifier of it,
one takes a single state for the whole text, by custom that of the first token, and puts a
linear layer on it. That layer is new and must be learned; everything below is there already.

The task of the notes is small enough to be counted through: sums and differences of two numbers
in words, and the sign of the result. Count the classes before looking at any accuracy. Almost
three quarters of the rows are positive, so a network that has learned nothing at all gets 74.5
% right.
"""

ALL_WEIGHTS_OR_FEW = """\
Fine-tuning in full goes on training every weight. That costs a forward and a backward pass
through the whole network, and a copy of all weights for each task. If the body is *frozen*, the
backward pass stops at the head: of three units of work one is left.

In between lie methods that leave the network as it is and add a little. A *prefix* gives every
layer some virtual keys and values that all places can look at. *LoRA* puts a product of two
thin matrices beside a large one; as it starts from nought, training starts from exactly the
pretrained network, and in the end the product can be added to the matrix, so that nothing is
slower. The checks compare the weights before and after, bit by bit.
"""

WHAT_TRAININGS_SAY = """\
Which weights a method trains can be computed. Whether it is the better method cannot, and here
the notes rest on single runs. A frozen body with 74.5 % has learned nothing; a pretrained
network with 71.9 % is worse than a constant, and in public runs of the same program the log
shows that none of its weights had been loaded. So each experiment prints the majority baseline
beside every accuracy, repeats each arm with several seeds, and makes sure that what is called
pretrained has been loaded.

That few trained weights overfit less, and that classes need no weighting, are plausible for the
same reason: the start is good, and little needs to change.
"""

WITHOUT_ANY_STEP = """\
A language model can be adapted without touching a weight. Show it some examples in the prompt,
and it goes on in the same manner: to the model they are simply a text that is to be continued.
This works as far as the model has learned, in training, to look back for a pattern and to
repeat it.

Showing the *steps* of a solution goes further. A model computes a fixed amount for each token
that it writes. If a sum must be answered in one token, all carrying has to be done in one pass;
written out, every digit gets a pass of its own, and each step can look at the ones before.
"""

TOPIC = Topic(
    id="K13",
    name="fine-tuning",
    title="Adapting a pretrained network",
    introduction="What a network has learned from plain text can be put to use for another task: "
    "by training all of it, some of it, a little beside it, or nothing at all.",
    sections=[
        Section("A new head", A_NEW_HEAD, [class_of_the_first_state, verbal_arithmetic]),
        Section(
            "All weights, or few",
            ALL_WEIGHTS_OR_FEW,
            [full_fine_tuning, frozen_body, prefix_tuning, low_rank_difference],
        ),
        Section(
            "What trainings say",
            WHAT_TRAININGS_SAY,
            [FROZEN_ACCURACY, PRETRAINING_TEXT, NO_WEIGHTING, LESS_OVERFITTING],
        ),
        Section("Without any step of training", WITHOUT_ANY_STEP, [IN_CONTEXT, CHAIN_OF_THOUGHT]),
    ],
)
