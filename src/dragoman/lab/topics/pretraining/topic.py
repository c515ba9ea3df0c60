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
Labels are scarce, and text is plentiful. Pretraining turns the one into a teacher for the
other: hide a part of a text and let the network guess it. To guess well it has to know
spelling, grammar, and a good deal of what the text is about, and all of that is in its weights
when the real task begins.

So one no longer starts from random weights. The gain is largest where examples are few, and it
shrinks as they become many, for then a random start gets there as well. How many examples the
pretrained start saves is a number that can be measured, and the experiment does.
"""

FROM_ONE_SIDE_OR_TWO = """\
A *decoder* reads onward only and predicts the next word; each position of a text is a question
whose answer it has not seen. An *encoder* reads both ways, which is better for understanding a
sentence but spoils the question: the next word is in plain sight, and the shortest way to a
small loss is to copy it. On text that is pure chance the difference is stark. The encoder's
loss falls to nought though there is nothing to learn, and the decoder's stays at the entropy.

BERT's answer is to hide the words that are asked for.
"""

HOW_WORDS_ARE_HIDDEN = """\
Of the words 15 % are chosen. If all of them became the mask, the network would learn that only
masks need thought, and a text at fine-tuning has no masks. So a tenth of the chosen words are
replaced by another word and a tenth stay: any word may be the one that is asked for. BERT also
reads two segments and is asked whether the second follows the first.
"""

DOES_IT_MATTER = """\
Whether such details matter is for trainings to say. They are small here, and so is the
language: short sentences of a grammar, and networks of a few hundred thousand weights, so that
only the direction counts. The questions are plain. If the same words are masked in every epoch,
does the network learn them by heart? Does a second question, on the next sentence, take room
from the first? And does a network that was never asked about visible words make less of a text
without masks?

One difference is not of degree. An encoder gives the distribution of one word when all others
are known, and that does not tell how likely a whole sentence is. It can write only by drawing
one word after another anew, from masks or from what stands there, and from masks alone there is
little to go by. A causal model writes as it has learned to read: each word after those before
it.
"""

SIZES_AND_COST = """\
Published sizes can be recomputed to the last weight: a layer of width $d$ has about $12 d^2$ of
them, the table of words $V d$. The count shows slips, too: ten heads cannot share a width of
768, and T5 has an encoder.

What training costs follows from the size. Each weight takes part in one multiplication and one
addition forward, and twice as many backward, for each token: $C \\approx 6ND$. Attention adds
to that with the length of the text, by a few per cent at the usual lengths. Divided by what a
chip can do, the estimate tells whether “64 chips for four days” can be true.
"""

TOPIC = Topic(
    id="K12",
    name="pretraining",
    title="Pretraining",
    introduction="Before a network learns a task it learns to predict words: the next one, or "
    "hidden ones. What is asked for decides what the network can be used for.",
    sections=[
        Section(
            "Text is free",
            TEXT_IS_FREE,
            [PRETRAINED_START, RANDOM_IS_RARE, TWO_STEPS],
        ),
        Section(
            "From one side, or from both",
            FROM_ONE_SIDE_OR_TWO,
            [CAUSAL_LANGUAGE_MODEL, both_sides_leak],
        ),
        Section("How words are hidden", HOW_WORDS_ARE_HIDDEN, [masker_shares, two_questions]),
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
