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
A recurrent network reads a text one word after the other: the state after word $t$ needs the
state after word $t-1$. However many processors there are, the work is a chain of $T$ steps, and
the backward pass walks the same chain back. Self-attention breaks the chain. Each position reads
all positions of the previous layer at once and waits for none of its neighbors, so a layer takes
the same number of sequential operations for ten words as for ten thousand.

The total work does not shrink; it even grows with $T^2$. What changes is how much of it can be
done at the same time, and that is what a GPU is good at. The checks below count the longest
chain of dependent operations in the graph that autograd records. The times next to it are only
an illustration, since they depend on the machine.
"""

THE_BLOCK = """\
Attention by itself only averages. For given weights, one layer of it is a linear map of the
values, and two layers compose to another linear map. So every block has a second part: a small
network with one hidden layer, applied to each position separately and with the same weights.
Attention moves information between positions, and the feed-forward network processes it.

Add positions to the embeddings, mask the future in attention, repeat the two parts, and you have
a minimal Transformer. It learns, but deep stacks of it are hard to train: without residual
connections each layer must pass on everything that later layers will need. The standard block
adds the input of each part to its output and normalizes the result, which is what makes it
possible to stack dozens of them.
"""

ONE_TEXT = """\
The first Transformer had two stacks for translation: an encoder that reads the source in both
directions, and a decoder that attends to it by cross-attention. A decoder-only model has no
encoder. Source and target become one sequence with a separator between them, and the model keeps
writing where the source ends. It is trained like any language model, to predict the next token at
each position; the loss may include the source, or count the target only.

When the model writes, the keys and values of all earlier positions are stored, so each step
computes one position only. This *KV cache* saves work and must not change anything. The test of
a decoder is therefore that its scores equal those of a full pass, up to rounding.
"""

THE_TASK = """\
The toy task of the notes is to translate English words into Pig Latin, letter by letter. The
rule takes a few lines of code, so data is free and every output can be checked. It is harder than
it looks. The network must find the first vowel, copy the rest of the word, then go back for the
initial consonants, and it must learn the exceptions (“qu” moves as a unit, y may act as a vowel)
from the few words that have them.

Training ends by early stopping: after $p$ epochs without a new best loss on held-out words, the
weights of the best epoch are restored. The curves by word list and by width are the basis for the
questions of the next section.
"""

WHAT_THE_RUNS_SHOW = """\
The notes trained five models once each and drew conclusions from single numbers. That is not
enough. Two seeds of the same model may differ by more than 0.011 nats, the two word lists were
evaluated on different words, and runs that should differ in one thing also differed in layers,
epochs and batch size.

So the experiment repeats each run with several seeds, evaluates both lists on the same unseen
words, and adds two pairs of models with equal parameters, on Pig Latin and on a harder task. The
verdict of each claim follows from intervals over the seeds. Some claims hold, some turn out to be
the other way round, and some remain undecided.
"""

TOPIC = Topic(
    id="K11",
    name="transformer",
    title="The Transformer",
    introduction="A Transformer replaces the loop over a text by attention among all its "
    "positions. This topic shows what that gains, how the block is built, and how well two stacks, "
    "or one, do on a small translation task.",
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
            "Source and target as one sequence",
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
