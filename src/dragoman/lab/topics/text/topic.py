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
    introduction="Networks compute with vectors, and a text is a row of signs. Between the two lie "
    "a few decisions that everything later rests on: what counts as a token, which number it gets, "
    "and which vector stands for that number.",
    sections=[
        Section(
            "Cutting",
            "The first step is to cut a text into tokens and to number them. Whole words seem "
            "natural, but there is no end to words: people misspell them, invent them, and inflect "
            "them, and a vocabulary made yesterday knows none of that. All it can do is to put the "
            "same `<unk>` in place of each, and what the word said is gone before the network has "
            "seen anything.\n\n"
            "Single characters know every word and make long rows. Subwords lie in between: "
            "frequent words stay whole, rare ones are spelled in parts, and *eats* and *eaten* may "
            "share theirs. With bytes as a last resort, any text that goes in comes out again.",
            [tokenization, out_of_vocabulary],
        ),
        Section(
            "Byte pairs and word pieces",
            "Which subwords? Byte-pair encoding lets the text decide. Begin with characters, join "
            "the two neighbours that stand together most often, and repeat as often as the "
            "vocabulary has room. Ties aside nothing is left to chance; a table of joins is all "
            "that has to be kept.\n\n"
            "It pays to follow the counting by hand, as intuition about prefixes and endings is of "
            "no help: the method knows frequencies, not grammar. From *low, lower, lowest* it "
            "makes *lowe*. Endings appear once there are many words that have them. WordPiece, "
            "which BERT uses, chooses its subwords by likelihood and cuts by the longest match, "
            "so the same word may come out in other parts.",
            [byte_pair_merges, worked_byte_pairs, wordpiece_and_byte_pairs],
        ),
        Section(
            "One of K",
            "A number is not a vector yet, and must not be read as a size: token 12 is not twice "
            "token 6. The honest vector for one of $K$ things has $K$ entries, all nought but one. "
            "It says which thing it is and nothing else; any two are equally far apart.\n\n"
            "Source and target of a translator have vocabularies of their own, hence $K_x$ numbers "
            "to be read and $K_y$ to be written. As soon as such a vector meets a matrix, the "
            "product is just one row or column of it. So nobody multiplies: the row is looked up, "
            "which is what an embedding layer does, and the gradient reaches that row alone.",
            [letters_of_bad, one_of_k, one_hot_tokens, embedding_product],
        ),
        Section(
            "Vectors that mean something",
            "The sum of one-hot vectors is a bag of words: how often each word stands in a text, "
            "and not where. It is crude, needs no training, and is the baseline that any network "
            "for texts has to beat.\n\n"
            "Learned vectors are short and dense. They save weights, since a layer behind $V$ "
            "one-hot numbers would need a weight for each, and words of similar use get similar "
            "vectors. But a table has one vector for a word, and a word may mean two things. What "
            "it stores is then the mixture that the corpus had: with more texts on phones, *apple* "
            "drifts away from the pears. To tell the meanings apart a network has to look at the "
            "sentence, which is where attention comes in.",
            [bag_of_words, embedding_saves_weights, average_meaning],
        ),
    ],
)
