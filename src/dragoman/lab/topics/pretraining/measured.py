"""Claims that trainings decide: whether pretraining pays, and language models against n-grams."""

from dragoman.lab.claims import measured

PRETRAINED_START = measured(
    "D27",
    "Almost all parameters of today's networks are initialized by pretraining; with few examples "
    "this start is worth many additional ones.",
    r"L(n; \mathrm{pretrained}) < L(n; \mathrm{random}) \mathrm{\ for\ small\ } n",
    experiment="pretraining-pays",
)
TWO_STEPS = measured(
    "D28",
    "There are two steps: a network is first trained to predict words of plain text, of which "
    "there is plenty, and then fine-tuned on the task, for which there is little.",
    r"\theta_0 \to \theta_1 = \arg\min L_{\mathrm{LM}} \to \theta_2 = \arg\min L_{\mathrm{task}} "
    r"\mathrm{\ from\ } \theta_1",
    experiment="pretraining-pays",
)
RANDOM_IS_RARE = measured(
    "E22",
    "In practice one starts from pretrained parameters; a random start is rare, because it takes "
    "more examples to get as far.",
    r"n_{\mathrm{random}} > n_{\mathrm{pretrained}} \mathrm{\ for\ the\ same\ loss}",
    experiment="pretraining-pays",
)
CAUSAL_LANGUAGE_MODEL = measured(
    "D42",
    "A decoder is a language model: it predicts each word from all words before it. An n-gram "
    "model, which sees only a few of them, does worse after the same training time.",
    r"P(w_1 \ldots w_T) = \prod_t P(w_t \mid w_1 \ldots w_{t-1})",
    experiment="perplexity",
)
