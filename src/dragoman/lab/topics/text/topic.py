"""The topic of text as numbers."""

from dragoman.lab.topic import Section, Topic
from dragoman.lab.topics.text.byte_pairs import (
    byte_pair_merges,
    wordpiece_and_byte_pairs,
    worked_byte_pairs,
)
from dragoman.lab.topics.text.one_hot_vectors import (
    embedding_product,
    letters_of_bad,
    one_hot_tokens,
    one_of_k,
)
from dragoman.lab.topics.text.tokens import out_of_vocabulary, tokenization
from dragoman.lab.topics.text.word_vectors import (
    average_meaning,
    bag_of_words,
    embedding_saves_weights,
)

TOPIC = Topic(
    id="K5",
    name="text",
    title="Text as numbers",
    introduction="Networks compute with vectors, and a text is a sequence of characters. "
    "Between the two lie a few decisions on which everything else depends: what counts as a "
    "token, which id it gets, and which vector represents that id.",
    sections=[
        Section(
            "Tokenization",
            "The first step is to split a text into tokens and to number them. Whole words seem "
            "natural, but there is no end to words: people misspell them, invent them and "
            "inflect them, and a vocabulary made yesterday knows none of that. All it can do is "
            "replace each of them by the same `<unk>`, and the information is lost before the "
            "network has seen anything.\n\n"
            "Single characters can spell every word, but make sequences long. Subwords lie in "
            "between: frequent words stay whole, rare ones are spelled in parts, and *eats* and "
            "*eaten* may share theirs. With bytes as a fallback, any text that is encoded can "
            "be decoded again.",
            [tokenization, out_of_vocabulary],
        ),
        Section(
            "Byte-pair encoding and WordPiece",
            "Which subwords? Byte-pair encoding lets the text decide. Start with characters, "
            "merge the two neighbors that occur together most often, and repeat until the "
            "vocabulary is full. Apart from ties, nothing is left to chance, and the list of "
            "merges is all that has to be stored.\n\n"
            "It pays to follow the counting by hand, because intuition about stems and endings "
            "is misleading: the method knows frequencies, not grammar. From *low, lower, "
            "lowest* it makes *lowe*. Endings appear once enough words have them. WordPiece, "
            "which BERT uses, chooses its subwords by likelihood and splits words by longest "
            "match, so the same word may be split differently.",
            [byte_pair_merges, worked_byte_pairs, wordpiece_and_byte_pairs],
        ),
        Section(
            "One-hot vectors",
            "A token id is not a vector yet, and it must not be read as a quantity: token 12 is "
            "not twice token 6. The neutral vector for one of $K$ things has $K$ entries, all "
            "zero except for a single one. It says which thing it is and nothing else; any two "
            "of these vectors are equally far apart.\n\n"
            "The source and the target of a translator have their own vocabularies, hence $K_x$ "
            "entries on one side and $K_y$ on the other. When such a vector is multiplied with "
            "a matrix, the product is just one row or column of the matrix. So nobody "
            "multiplies: the row is looked up. That is what an embedding layer does, and the "
            "gradient reaches only that row.",
            [letters_of_bad, one_of_k, one_hot_tokens, embedding_product],
        ),
        Section(
            "Word vectors",
            "The sum of one-hot vectors is a bag of words: how often each word occurs in a "
            "text, but not where. It is crude, needs no training, and is the baseline that any "
            "network for text has to beat.\n\n"
            "Learned vectors are short and dense. They save weights, since a layer on top of "
            "one-hot vectors would need a weight for each of $V$ entries, and words that are "
            "used in similar ways get similar vectors. But a table has one vector per word, and "
            "a word may have two meanings. What it stores is then the mixture found in the "
            "corpus: with more texts about phones, *apple* moves away from the pears. To tell "
            "the meanings apart, a network has to look at the sentence, and this is where "
            "attention comes in.",
            [bag_of_words, embedding_saves_weights, average_meaning],
        ),
    ],
)
