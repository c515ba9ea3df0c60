"""Claims on what scores of sentences are good for."""

from dragoman.lab.claims import measured

homophones = measured(
    "E92",
    "Words that sound alike can be told apart by how likely the sentence is: *the man pulled a "
    "cart* has a higher probability than *the man pooled a cart*.",
    r"P(\mathrm{pooled}) < P(\mathrm{pulled})",
    experiment="correctness",
)

best_candidate = measured(
    "E93",
    "A network that scores how likely a sentence is to be correct can fill a blank: each candidate "
    "is tried, and the best score wins. It has to beat always choosing the more frequent "
    "candidate.",
    r"\hat{w} = \mathrm{arg} \max_{w} \; s(y_1, \ldots, w, \ldots, y_k)",
    experiment="correctness",
)

altered_sentences = measured(
    "E94",
    "Negative examples for training can be made from correct sentences by altering or removing "
    "words.",
    r"(y_1, \ldots, y_k) \to (y_1, \ldots, y_{i-1}, y_{i+1}, \ldots, y_k)",
    experiment="correctness",
)

more_layers = measured(
    "E96",
    "More hidden layers improve a network that tells correct sentences from incorrect ones.",
    r"\mathrm{AUC}(2\ \mathrm{layers}) > \mathrm{AUC}(1\ \mathrm{layer})",
    experiment="correctness",
)

missing_word = measured(
    "E98",
    "A word missing at an unknown position is found by trying words of the corpus in every gap and "
    "scoring the results. A sentence of four words has five gaps, so a vocabulary of $V$ words "
    "makes $5V$ sentences to score.",
    r"(\hat{w}, \hat{i}) = \mathrm{arg} \max_{w \in V,\ 0 \leq i \leq k} "
    r"P(y_1, \ldots, y_i, w, y_{i+1}, \ldots, y_k)",
    experiment="missing-word",
)
