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
    introduction="A sentence in one language becomes a sentence in another, with a different "
    "length and a different word order. This topic follows the recurrent translators from the "
    "first encoder-decoder, which must squeeze a sentence into one vector, to the decoder that "
    "looks back at the source before every word. Each equation is checked against the models that "
    "ship with Dragoman; what only training can show is left to experiments.",
    sections=[
        Section(
            "Sentences in two languages",
            "A translator learns from pairs: a sentence, and its translation. The notes start with "
            "a few in English and Hindi, which is an instructive pair. The word order differs, the "
            "verb agrees with its subject in gender, and one word often corresponds to two or "
            "three.\n\n"
            "So a dictionary is not enough. Replace every English word by the *correct* Hindi word "
            "and leave the order as it is: most sentences come out wrong because of the order "
            "alone. The verb, in the middle of the English sentence, belongs at the end of the "
            "Hindi one.",
            [parallel_sentences, word_by_word],
        ),
        Section(
            "Encoder and decoder",
            "A recurrent network gives one output for each input, which is right for tagging and "
            "wrong for translation. The solution is to use two networks. The *encoder* reads the "
            "source to its end, and its last state is a summary. The *decoder* starts from this "
            "summary and writes one word at a time until it writes END. The length of the output "
            "no longer depends on the length of the input.\n\n"
            "The probability of a target is a product over its words, each given the words before "
            "it. The decoder's state represents everything written so far, so a step needs only "
            "the previous word, the state and, in some models, a context.",
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
            "Training and inference",
            "Training makes the reference words likely. Maximizing the product of their "
            "probabilities means minimizing the sum of their cross entropies. The gradient flows "
            "from every word through the decoder into the encoder's last state: it is a sum over "
            "the steps of the decoder, each term propagated through all earlier steps. Reversing "
            "the source brings the first words of both sides close together, which shortens some "
            "of these paths and may help.\n\n"
            "During training the decoder reads the correct previous word, whatever it would have "
            "predicted itself (*teacher forcing*). At test time nobody knows the correct word, so "
            "it reads its own prediction. The gap between the two is the subject of an experiment.",
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
            "One vector must represent a sentence of any length, and long sentences suffer. "
            "Attention gives the decoder a third input: a *context*, computed separately for every "
            "word. A small network scores how well the decoder's state matches each encoder state, "
            "a softmax over the source turns the scores into weights, and the context is the "
            "weighted sum of the encoder's states.\n\n"
            "Nobody tells the network which words correspond. The weights are learned with "
            "everything else, from the loss of the words alone, and can afterwards be read as an "
            "alignment.",
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
            "The complete network of Bahdanau et al.",
            "The complete network of 2015 has a bidirectional GRU as its encoder, a decoder whose "
            "initial state comes from the backward direction (which has just read the first word), "
            "gates that see the context, and an output with a maxout layer, which keeps the larger "
            "entry of each pair.\n\n"
            "`bahdanau_by_hand.py` writes out all of it, one vector at a time, in the notation of "
            "the paper. It is slow and simple, and the network that is actually trained must agree "
            "with it up to rounding: encoder, initial state, decoder and output, each in a claim "
            "of its own.",
            [bahdanau_encoder, bahdanau_start, bahdanau_decoder, bahdanau_output],
        ),
    ],
)
