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
    introduction="A language model says how likely a sentence is. That sounds like little, and is "
    "enough to choose between words that sound alike, to fill blanks, and to write.",
    sections=[
        Section(
            "How likely is a sentence?",
            "There are far too many sentences to count how often each occurs; most that will ever "
            "be said have not been said yet. The chain rule takes the question apart: how likely "
            "is the first word, how likely the second after it, and so on. Each factor is a "
            "distribution over the vocabulary, which can be counted (*n-grams*) or computed by a "
            "network.\n\n"
            "If every factor sums to one, all texts together do, however long; what finished texts "
            "do not have yet belongs to longer ones. With a toy vocabulary all rows can be written "
            "down and added up. Real vocabularies are larger, but not absurdly so: a number like "
            "$10^{80}$ exceeds every word that was ever spoken, and any table of vectors.",
            [chain_rule],
        ),
        Section(
            "Choosing",
            "A recognizer of speech hears *pooled* or *pulled*; a model of the language knows "
            "which of them fits before *a cart*. More generally, put every candidate into the "
            "gap and keep the sentence with the best score.\n\n"
            "The score need not be a probability. A classifier can learn to tell right sentences "
            "from wrong ones, if there are wrong ones to learn from; they are made by spoiling "
            "right ones. Whether that teaches what is right, or merely what spoiling looks like, "
            "is a question for a test. And the test has to be fair: a choice of two is right half "
            "of the time by chance, but a good deal more often if one just takes the more frequent "
            "word. That is the mark to beat.",
            [homophones, best_candidate, altered_sentences, more_layers],
        ),
        Section(
            "A word is missing, nobody knows where",
            "*The man the cart*: a reader sees at once that a word is missing, and where. A model "
            "can do it by brute force: four words leave five gaps, and every word of the "
            "vocabulary can be tried in each, so that five times $V$ sentences are scored "
            "and the best one wins.\n\n"
            "That is slow but honest, and can be sped up by trying only words that are likely in "
            "their gap. It cannot always be right, as other words often fit as well. What it has "
            "to beat is not a blind guess: the most frequent word at the place where words are "
            "missing most often needs no model of the sentence at all.",
            [missing_word],
        ),
    ],
)
