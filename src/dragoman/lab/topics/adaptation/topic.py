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
A pretrained network turns a text into states, one for each token. To turn it into a classifier,
take a single state for the whole text, by convention that of the first token, and put a linear
layer on top. This layer is new and must be learned; everything below it is already trained.

The task of the notes is small enough to enumerate: sums and differences of two numbers in words,
and the sign of the result. Count the classes before looking at any accuracy. Almost three
quarters of the rows are positive, so a network that has learned nothing at all can be right for
74.5 % of them.
"""

ALL_WEIGHTS_OR_FEW = """\
Full fine-tuning continues to train every weight. It costs a forward and a backward pass through
the whole network, and a copy of all weights for each task. If the body is *frozen*, the backward
pass stops at the head, and one third of the work remains.

In between are methods that leave the network as it is and add a little. A *prefix* gives every
layer some virtual keys and values that all positions can attend to. *LoRA* adds a product of two
thin matrices to a large one. The product is zero at the start, so training begins with exactly
the pretrained network, and in the end it can be added to the matrix, so that inference is no
slower. The checks compare the weights before and after, bit for bit.
"""

WHAT_TRAININGS_SAY = """\
Which weights a method trains can be computed. Whether it is the better method cannot, and here
the notes rely on single runs. An accuracy of 74.5 % with a frozen body is exactly what a constant
answer gets. A pretrained network with 71.9 % is worse than a constant, and in public runs of the
same program the log shows that none of its weights had been loaded. So each experiment prints the
majority baseline next to every accuracy, repeats each run with several seeds, and checks that
pretrained weights have really been loaded.

That training few weights overfits less, and that classes need no weighting, are plausible for the
same reason: the start is good, and little needs to change.
"""

WITHOUT_ANY_STEP = """\
A language model can be adapted without changing a weight. Show it some examples in the prompt,
and it continues in the same way: to the model they are simply a text to be continued. This works
as far as the model has learned, in training, to look back for a pattern and repeat it.

Showing the *steps* of a solution goes further. A model does a fixed amount of computation for each
token that it writes. If a sum must be answered at once, all carries have to be computed in a few
passes. Written out, every digit gets a pass of its own, and each step can read the ones before.
"""

TOPIC = Topic(
    id="K13",
    name="fine-tuning",
    title="Adapting a pretrained network",
    introduction="What a network has learned from plain text can be used for another task: by "
    "training all of its weights, some of them, a few additional ones, or none at all.",
    sections=[
        Section("A new head", A_NEW_HEAD, [class_of_the_first_state, verbal_arithmetic]),
        Section(
            "All weights, or few",
            ALL_WEIGHTS_OR_FEW,
            [full_fine_tuning, frozen_body, prefix_tuning, low_rank_difference],
        ),
        Section(
            "What the experiments say",
            WHAT_TRAININGS_SAY,
            [FROZEN_ACCURACY, PRETRAINING_TEXT, NO_WEIGHTING, LESS_OVERFITTING],
        ),
        Section("Without any training", WITHOUT_ANY_STEP, [IN_CONTEXT, CHAIN_OF_THOUGHT]),
    ],
)
