"""The topic of the Transformer."""

from dragoman.lab.topic import Section, Topic
from dragoman.lab.topics.transformer.block import (
    block_with_add_and_norm,
    feed_forward_per_place,
    minimal_transformer,
)
from dragoman.lab.topics.transformer.decoding_trace import decoding_trace
from dragoman.lab.topics.transformer.measured import (
    DECODER_ONLY_LOSS,
    ENCODER_PAYS,
    FEED_FORWARD_HELPS,
    GRADED_TASKS,
    LEARNS_FASTER,
    SMALL_LIST,
    SMALLER_GAP,
    WIDTH_OR_DATA,
    WIDTHS_AND_LISTS,
)
from dragoman.lab.topics.transformer.one_text import decoder_only_forward, one_text_shifted
from dragoman.lab.topics.transformer.pig_latin import early_stopping, loss_plots, pig_latin_rule
from dragoman.lab.topics.transformer.serial_depth import (
    all_places_at_once,
    little_to_share,
    serial_operations,
)

WHY_NOT_RECURRENCE = """\
A recurrent network reads a text as we do, one word after the other: the state after word $t$
needs the state after word $t-1$. However many processors there are, the work is a chain of $T$
links, and the backward pass walks the same chain back. Self-attention cuts it. Each place asks
all places of the layer below at once, and no place waits for its neighbor; a layer takes the
same few operations one after another whether the text has ten words or ten thousand.

The total work does not shrink, it even grows with $T^2$. What changes is how much of it can be
done at the same time, and that is what a GPU is good at. The checks below count the links of
the chain in the graph that autograd records. The seconds beside them are only an illustration:
they are of this machine, and of the hour.
"""

THE_BLOCK = """\
Attention alone only averages. With its weights given, one layer of it is a linear map of the
values, and two layers are again one linear map. So every block has a second part: a small
network with one hidden layer, which treats each place by itself and always with the same
weights. Attention moves information between places, and the feed-forward works on it.

Put positions into the embeddings, hide the future from attention, repeat the two parts, and you
have the smallest Transformer. It learns, though not gladly: without a residual connection each
layer must pass on everything that later ones will need. The block that is used adds the input
of each part to its output and normalizes, which is what lets dozens of them be stacked.
"""

ONE_TEXT = """\
To translate, the first Transformer had two stacks: an encoder that reads the source both ways,
and a decoder that looks at it across. A decoder-only model does without the encoder. Source and
target become one text with a mark between them, and the model goes on writing where the source
ends. It is trained like any language model, each place being asked for the next token; one may
count the source too, or let only the target count.

When it writes, keys and values of everything before are kept, so each step computes one place
only. This *KV cache* is a saving and must change nothing: the tests of a decoder are that it
gives the scores of a full pass, to the last bits.
"""

THE_TASK = """\
The notes learn to translate on a toy: English words into Pig Latin, letter by letter. The rule
is a few lines long, so data is free and every output can be judged. It is harder than it looks.
The network must find where the first vowel stands, copy the rest of the word, then go back for
the consonants, and it must learn the exceptions (“qu” stays together, y counts as a vowel) from
the few words that have them.

Training ends by early stopping: the loss on held-out words is watched, and after $p$ epochs
without a better one the best weights are taken back. The curves by list and by width are what
the questions of the next section are answered with.
"""

WHAT_THE_RUNS_SHOW = """\
The notes trained five models once each and drew conclusions from single numbers. That cannot
carry them. Two seeds of the same model may differ by more than 0.011 nats, lists of different
length were judged by different words, and runs that should differ in one thing differed in
layers, epochs and batches as well.

So the experiment repeats each run with several seeds, judges both lists by the same unseen
words, and adds two pairs of models with equal parameters, on Pig Latin and on a harder task.
The verdict of each claim follows from intervals over the seeds. Some claims hold, some turn
round, and for some the honest answer is that nobody could have known.
"""

TOPIC = Topic(
    id="K11",
    name="transformer",
    title="The Transformer",
    introduction="A Transformer replaces the loop over a text by attention among all its places. "
    "This topic shows what that buys, how the block is built, and how far two stacks, or one, get "
    "with a small translation task.",
    sections=[
        Section(
            "Why give up recurrence?",
            WHY_NOT_RECURRENCE,
            [serial_operations, little_to_share, all_places_at_once],
        ),
        Section(
            "The block",
            THE_BLOCK,
            [
                feed_forward_per_place,
                FEED_FORWARD_HELPS,
                minimal_transformer,
                block_with_add_and_norm,
            ],
        ),
        Section(
            "Source and target as one text",
            ONE_TEXT,
            [one_text_shifted, decoder_only_forward, decoding_trace],
        ),
        Section("The task: Pig Latin", THE_TASK, [pig_latin_rule, early_stopping, loss_plots]),
        Section(
            "What the runs of the notes can show",
            WHAT_THE_RUNS_SHOW,
            [
                WIDTHS_AND_LISTS,
                LEARNS_FASTER,
                SMALLER_GAP,
                SMALL_LIST,
                WIDTH_OR_DATA,
                DECODER_ONLY_LOSS,
                ENCODER_PAYS,
                GRADED_TASKS,
            ],
        ),
    ],
)
