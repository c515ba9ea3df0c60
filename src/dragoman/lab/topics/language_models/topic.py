"""The topic of language models."""

from dragoman.lab.topic import Section, Topic
from dragoman.lab.topics.language_models.chain_rule import chain_rule
from dragoman.lab.topics.language_models.uses import (
    altered_sentences,
    best_candidate,
    homophones,
    missing_word,
    more_layers,
)

TOPIC = Topic(
    id="K6",
    name="language-models",
    title="Language models",
    introduction="A language model says how likely a sentence is. That may sound like little, but "
    "it is enough to choose between words that sound alike, to fill in blanks, and to write.",
    sections=[
        Section(
            "How likely is a sentence?",
            "Counting how often each sentence occurs is hopeless: most sentences that will ever be "
            "said have not been said yet. The chain rule breaks the question up: how likely is the "
            "first word, how likely is the second word given the first, and so on. Each factor is "
            "a distribution over the vocabulary, which can be estimated from counts (*n-grams*) or "
            "computed by a network.\n\n"
            "If every factor sums to one, so do the probabilities of all texts together, however "
            "long they are; whatever the finished texts up to some length do not use belongs to "
            "longer ones. With a toy vocabulary all sequences can be listed and added up. Real "
            "vocabularies are larger, but not absurdly so: $10^{80}$ words is more than all words "
            "ever spoken, and no embedding table could hold them.",
            [chain_rule],
        ),
        Section(
            "Choosing between candidates",
            "A speech recognizer hears *pooled* or *pulled*, and a language model knows which of "
            "them fits before *a cart*. More generally, put every candidate into the blank and "
            "keep the sentence with the best score.\n\n"
            "The score need not be a probability. A classifier can learn to tell correct sentences "
            "from incorrect ones, given incorrect ones to learn from; these are made by corrupting "
            "correct ones. Whether that teaches what is correct, or merely what corruption looks "
            "like, takes a test to tell. And the test has to be fair: choosing between two words "
            "by chance is right half of the time, but always taking the more frequent word is "
            "right a good deal more often. That is the baseline to beat.",
            [homophones, best_candidate, altered_sentences, more_layers],
        ),
        Section(
            "A missing word at an unknown position",
            "*The man the cart*: a reader sees at once that a word is missing, and where. A model "
            "can find out by brute force. Four words leave five gaps, and every word of the "
            "vocabulary can be tried in each of them, so $5V$ sentences are scored and the best "
            "one wins.\n\n"
            "This is slow but exact, and it can be sped up by trying only words that are likely in "
            "their gap. It cannot always be right, because other words often fit as well. The "
            "baseline is not a blind guess: the most frequent word, inserted where words are "
            "missing most often, needs no model of the sentence at all.",
            [missing_word],
        ),
    ],
)
