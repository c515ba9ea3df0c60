"""Claims on what scores of sentences are good for."""

from dragoman.lab.claims import measured

homophones = measured(
    "E92",
    "What sounds alike can be told apart by what is likely to be said: *the man pulled a cart* has "
    "a higher probability than *the man pooled a cart*.",
    r"P(\mathrm{pooled}) < P(\mathrm{pulled})",
    experiment="correctness",
)

best_candidate = measured(
    "E93",
    "A network that scores how right a sentence is can fill a blank: each candidate is put in, and "
    "the best score wins. It must do better than the most frequent candidate would.",
    r"\hat{w} = \mathrm{arg} \max_{w} \; s(y_1, \ldots, w, \ldots, y_k)",
    experiment="correctness",
)

altered_sentences = measured(
    "E94",
    "Wrong sentences for training can be made of right ones, by altering or removing words.",
    r"(y_1, \ldots, y_k) \to (y_1, \ldots, y_{i-1}, y_{i+1}, \ldots, y_k)",
    experiment="correctness",
)

more_layers = measured(
    "E96",
    "Further hidden layers improve a network that tells right sentences from wrong ones.",
    r"\mathrm{AUC}(2\ \mathrm{layers}) > \mathrm{AUC}(1\ \mathrm{layer})",
    experiment="correctness",
)

missing_word = measured(
    "E98",
    "A word that is missing at an unknown place is found by trying words of the corpus at every "
    "place and scoring the sentences. Four words have five gaps, so that with $V$ words $5V$ "
    "sentences are scored.",
    r"(\hat{w}, \hat{i}) = \mathrm{arg} \max_{w \in V,\ 0 \leq i \leq k} "
    r"P(y_1, \ldots, y_i, w, y_{i+1}, \ldots, y_k)",
    experiment="missing-word",
)
