"""Claims that trainings decide: whether pretraining pays, how to mask, and what to write with."""

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
NO_MASKS_LATER = measured(
    "D32",
    "Some of the chosen words are replaced by others or left, because a text has no masks when the "
    "network is fine-tuned: every word may be the one that is asked for.",
    r"\mathrm{probe}(80/10/10) > \mathrm{probe}(100\,\%\ \mathrm{masks}) \mathrm{\ on\ texts\ "
    r"without\ masks}",
    experiment="masking",
)
NEXT_SENTENCE = measured(
    "D33",
    "With embeddings that tell two segments apart, a network learns whether the second follows "
    "the first: it is right far more often than a guess.",
    r"\mathrm{acc}(\mathrm{follows}) > \frac{1}{2}",
    experiment="masking",
)
FILLS_AND_CLASSIFIES = measured(
    "D36",
    "A masked model is for filling gaps and for classifying; text that it writes, word by word "
    "from masks, is worse than that of a causal model of the same size.",
    r"w_i \sim P(w_i \mid w_1 \ldots w_{i-1}, w_{i+1} \ldots w_T) \mathrm{\ in\ turn\ "
    r"(Gibbs\ sampling)}",
    experiment="masking",
)
ROBERTA_WAY = measured(
    "D37",
    "RoBERTa is to be preferred to BERT: it masks anew in every epoch, asks nothing about the next "
    "sentence, and was trained on more text. The first two are compared here, each alone and "
    "together.",
    r"L_{\mathrm{dynamic}} < L_{\mathrm{static}}, \qquad L_{\mathrm{no\ pairs}} < "
    r"L_{\mathrm{pairs}}",
    experiment="masking",
)
