"""The topic of translation."""

from dragoman.lab.topic import Section, Topic
from dragoman.lab.topics.translation.alignment_claims import (
    additive_score,
    context_is_a_weighted_sum,
    weights_are_a_softmax,
)
from dragoman.lab.topics.translation.bahdanau_claims import (
    bahdanau_decoder,
    bahdanau_encoder,
    bahdanau_output,
    bahdanau_start,
    learned_together,
)
from dragoman.lab.topics.translation.learning import (
    free_running,
    gradient_into_the_encoder,
    likelihood_and_cross_entropy,
    output_layer,
    start_and_end,
)
from dragoman.lab.topics.translation.measured_claims import (
    fixed_summary_is_inefficient,
    learned_alignment,
    long_sentences,
    part_of_the_input,
    reversed_source,
    teacher_forcing,
)
from dragoman.lab.topics.translation.sentences import parallel_sentences, word_by_word
from dragoman.lab.topics.translation.summaries import (
    decoder_interface,
    decoder_start,
    encoder_summary,
    inputs_of_a_step,
    lengths_of_an_lstm,
    likelihood_of_a_target,
)

TOPIC = Topic(
    id="K7",
    name="translation",
    title="Translation with encoder, decoder and alignment",
    introduction="A sentence of one language becomes a sentence of another, of another length and "
    "in another order. This topic follows the recurrent translators from the first "
    "encoder-decoder, which must sum a sentence up in one vector, to the decoder that looks back "
    "at the source before every word. Each equation is checked against the models that ship with "
    "Dragoman; what only a training can show is left to experiments.",
    sections=[
        Section(
            "Sentences in two languages",
            "A translator learns from pairs: a sentence, and what it means in the other language. "
            "The notes begin with a few in English and Hindi, which makes a good pair to think "
            "with. The words come in another order, the verb agrees with its subject in gender, "
            "and one word often answers to two or three.\n\n"
            "So a dictionary is not enough. Take the *right* Hindi word for every English word and "
            "leave them where they stand: most sentences come out wrong, for order alone. The "
            "verb, in the middle of the English, belongs at the end of the Hindi.",
            [parallel_sentences, word_by_word],
        ),
        Section(
            "Read, then write",
            "A recurrent network says one thing for each thing it reads, which is right for tags "
            "and wrong for translation. The way out is to take two. The *encoder* reads the source "
            "to its end; its last state is a summary. The *decoder* starts from this summary and "
            "writes, one word at a time, until it says END. That makes the length of the output "
            "its own affair.\n\n"
            "The probability of a target is a product over its words, each given those before it. "
            "The decoder's state stands for all that was said; so a step needs only the last word, "
            "the state and, where it is told one, a context.",
            [
                lengths_of_an_lstm,
                encoder_summary,
                decoder_start,
                start_and_end,
                output_layer,
                likelihood_of_a_target,
                decoder_interface,
            ],
        ),
        Section(
            "Learning and translating",
            "Training makes the right words likely. The product of their probabilities is "
            "maximized by minimizing the sum of their cross entropies, and the error flows back "
            "from every word through the decoder into the encoder's last state: a sum over the "
            "steps of the decoder, each carried back through all steps before it. Reading the "
            "source from its end brings the first words of both sides close together, which may "
            "help.\n\nWhile it learns, the decoder is told the right last word, whatever it would "
            "have said itself (*teacher forcing*). When it translates, nobody knows the right "
            "word: it is fed its own. The gap between the two is the subject of an experiment.",
            [
                likelihood_and_cross_entropy,
                gradient_into_the_encoder,
                reversed_source,
                teacher_forcing,
                free_running,
            ],
        ),
        Section(
            "Looking back at the source",
            "One vector must hold a sentence of any length, and long sentences suffer. Attention "
            "gives the decoder a third input: a *context*, made anew for every word. A small "
            "network scores how well the decoder's state fits each of the encoder's states; a "
            "softmax over the source makes weights of the scores; the context is the weighted sum "
            "of the states.\n\n"
            "No one says which word belongs to which. The weights are learned with everything "
            "else, from the loss of the words alone, and can afterwards be read as an alignment.",
            [
                long_sentences,
                fixed_summary_is_inefficient,
                inputs_of_a_step,
                context_is_a_weighted_sum,
                weights_are_a_softmax,
                additive_score,
                learned_together,
                learned_alignment,
                part_of_the_input,
            ],
        ),
        Section(
            "The whole network of Bahdanau et al.",
            "Put together, the network of 2015 has a bidirectional encoder of gated units, a "
            "decoder whose first state comes from the backward direction (which has just read the "
            "first word), gates that see the context, and an output with a maxout layer: of each "
            "two entries, the larger one goes on.\n\n"
            "`bahdanau_by_hand.py` writes all of it out, one vector at a time, in the letters of "
            "the paper. It is slow and plain, and the network that trains must agree with it to "
            "the last digits: encoder, first state, decoder and output, each in a claim of its "
            "own.",
            [bahdanau_encoder, bahdanau_start, bahdanau_decoder, bahdanau_output],
        ),
    ],
)
