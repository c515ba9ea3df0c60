"""The topic of pretraining."""

from dragoman.lab.topic import Section, Topic
from dragoman.lab.topics.pretraining.both_sides import both_sides_leak
from dragoman.lab.topics.pretraining.masked_words import masker_shares, two_questions
from dragoman.lab.topics.pretraining.measured import (
    CAUSAL_LANGUAGE_MODEL,
    FILLS_AND_CLASSIFIES,
    NEXT_SENTENCE,
    NO_MASKS_LATER,
    PRETRAINED_START,
    RANDOM_IS_RARE,
    ROBERTA_WAY,
    TWO_STEPS,
)
from dragoman.lab.topics.pretraining.network_sizes import (
    bert_compute,
    bert_sizes,
    gpt3_size,
    gpt_size,
    t5_family,
)

TEXT_IS_FREE = """\
Labels are scarce, but text is plentiful. Pretraining makes the text its own teacher: hide a part
of it and let the network predict that part. To predict well, the network has to know spelling,
grammar and a good deal of what the text is about, and all of that is already in its weights when
the real task begins.

So one no longer starts from random weights. The gain should be largest where examples are few and
shrink as they become many, because with enough examples a random start gets there as well. How
many examples the pretrained start saves can be measured, and the experiment does so.
"""

FROM_ONE_SIDE_OR_TWO = """\
A *decoder* reads from left to right and predicts the next word, so each position of a text is a
question whose answer it has not seen. An *encoder* reads in both directions. This is better for
understanding a sentence, but it spoils the question: the next word is in plain sight, and the
easiest way to a small loss is to copy it. On random text the difference is stark. The loss of the
encoder falls toward zero although there is nothing to learn, while the loss of the decoder stays
at the entropy.

BERT's answer is to hide the words that it has to predict.
"""

HOW_WORDS_ARE_HIDDEN = """\
BERT chooses 15 % of the words. If all of them were replaced by the mask token, the network could
learn that only masks need attention, and there are no masks in the texts of fine-tuning. So a
tenth of the chosen words are replaced by a random word and a tenth are left unchanged: any word
may be one that has to be predicted. BERT also reads two segments and predicts whether the second
follows the first.
"""

DOES_IT_MATTER = """\
Whether such details matter, only training can tell. Language and networks are small here: short
sentences of a grammar, and a few hundred thousand parameters, so only the direction of an effect
counts. If the same words are masked in every epoch, does the network memorize them? Does a second
task, predicting the next sentence, take capacity from the first? RoBERTa drops that task and
masks new words in every epoch. And does a network that was never asked about visible words do
worse on a text without masks?

One difference is not a matter of degree. An encoder gives the distribution of one word when all
others are known, and that does not say how likely a whole sentence is. It can write only by
resampling one word after another, starting from masks or from a given text, and masks alone give
it little to go by. A causal model writes the way it has learned to read: each word after the ones
before it.
"""

SIZES_AND_COST = """\
Published sizes can be recomputed to the last parameter: a layer of width $d$ has about $12 d^2$
of them, and the embedding table has $V d$. Counting also exposes slips: ten heads cannot share a
width of 768, and T5 has an encoder.

The cost of training follows from the size. For each token, each parameter takes part in one
multiplication and one addition in the forward pass, and in twice as many operations in the
backward pass: $C \\approx 6ND$. Attention adds a term that grows with the length of the text, a
few percent at the usual lengths. Divided by the speed of a chip, the estimate shows whether “64
chips for four days” is plausible.
"""

TOPIC = Topic(
    id="K12",
    name="pretraining",
    title="Pretraining",
    introduction="Before a network learns a task, it learns to predict words: the next one, or "
    "hidden ones. What it predicts decides what it can be used for.",
    sections=[
        Section(
            "Text is free",
            TEXT_IS_FREE,
            [PRETRAINED_START, RANDOM_IS_RARE, TWO_STEPS],
        ),
        Section(
            "One direction or both",
            FROM_ONE_SIDE_OR_TWO,
            [CAUSAL_LANGUAGE_MODEL, both_sides_leak],
        ),
        Section("How words are masked", HOW_WORDS_ARE_HIDDEN, [masker_shares, two_questions]),
        Section(
            "Does it matter?",
            DOES_IT_MATTER,
            [NO_MASKS_LATER, NEXT_SENTENCE, ROBERTA_WAY, FILLS_AND_CLASSIFIES],
        ),
        Section(
            "Sizes and cost",
            SIZES_AND_COST,
            [bert_sizes, bert_compute, t5_family, gpt_size, gpt3_size],
        ),
    ],
)
