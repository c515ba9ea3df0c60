"""Claims that trainings decide: adapting a pretrained network, and prompting one."""

from dragoman.lab.claims import measured

FROZEN_ACCURACY = measured(
    "A40",
    "A frozen body has to be compared with the majority baseline: always answering “positive” is "
    "right for 74.5 % of the 192 rows of the notes. Full fine-tuning is far above both.",
    r"\frac{143}{192} = 74.5\,\%",
    experiment="adaptation",
    notes="a frozen body gives 74.5 %, which is exactly what a constant answer gives.",
)
PRETRAINING_TEXT = measured(
    "A41",
    "Whether the text of pretraining matters, or only that there was any, takes three networks to "
    "tell: pretrained in the domain, pretrained elsewhere, and not at all; and a check that the "
    "pretrained weights were really loaded.",
    r"\mathrm{acc}_{\mathrm{in\ domain}}, \quad \mathrm{acc}_{\mathrm{elsewhere}}, \quad "
    r"\mathrm{acc}_{\mathrm{random}}",
    experiment="pretraining-domain",
    notes="BERTweet reaches 71.9 % and MathBERT over 92 %; the first is below the majority "
    "baseline, and in public runs of it no weight had been loaded.",
)
NO_WEIGHTING = measured(
    "D29",
    "Fine-tuning starts from parameters that are already set, so classes of unequal size need no "
    "weights of their own in the loss.",
    r"L = -\sum_i w_{y_i} \log p(y_i \mid x_i), \qquad w = 1 \mathrm{\ or\ } w_c \propto 1 / n_c",
    experiment="pretraining-pays",
)
LESS_OVERFITTING = measured(
    "D39",
    "With few training texts, training only a few weights, of the network or added to it, overfits "
    "less than training all of them.",
    r"(L_{\mathrm{test}} - L_{\mathrm{train}})_{\mathrm{few}} < "
    r"(L_{\mathrm{test}} - L_{\mathrm{train}})_{\mathrm{all}}",
    experiment="adaptation",
)
IN_CONTEXT = measured(
    "D46",
    "A language model can do a task that its prompt only shows by examples, without any gradient "
    "step: the more examples, the better.",
    r"5+8=13,\ 7+2=9,\ 1+0= \; \to \; 1",
    experiment="in-context",
)
CHAIN_OF_THOUGHT = measured(
    "D47",
    "A model that writes the steps before the answer gets more sums right than one that answers "
    "at once, at equal parameters and tokens.",
    r"p(\mathrm{answer} \mid \mathrm{question}, \mathrm{steps}) > "
    r"p(\mathrm{answer} \mid \mathrm{question})",
    experiment="chain-of-thought",
)
