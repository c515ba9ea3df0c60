"""Claims that trainings decide: what the feed-forward is for, and Pig Latin by letters."""

from dragoman.lab.claims import measured

FEED_FORWARD_HELPS = measured(
    "D5",
    "The feed-forward adds to what attention has gathered: without it, a network of as many "
    "weights learns less well what depends on two words together.",
    r"\mathrm{acc}(\mathrm{attention} + \mathrm{FFN}) > \mathrm{acc}(\mathrm{attention\ alone})"
    r" \mathrm{\ at\ equal\ weights}",
    experiment="transformer-parts",
)
WIDTHS_AND_LISTS = measured(
    "A19",
    "On the small list of words an encoder-decoder of width 64 reaches a lower validation loss "
    "than one of width 32.",
    r"L_{64} < L_{32} \qquad (0.417 \mathrm{\ and\ } 0.963 \mathrm{\ in\ the\ notes})",
    experiment="pig-latin",
)
LEARNS_FASTER = measured(
    "A21",
    "On the small list the wider model learns faster, and the gap between its validation and its "
    "training loss ends up larger.",
    r"\ell^{\mathrm{train}}_{64}(e) < \ell^{\mathrm{train}}_{32}(e), \qquad "
    r"(L - \ell^{\mathrm{train}})_{64} > (L - \ell^{\mathrm{train}})_{32}",
    experiment="pig-latin",
)
SMALLER_GAP = measured(
    "A22",
    "A narrow model with a smaller gap between training and validation and a higher validation "
    "loss has not generalized better: it underfits.",
    r"L_{32} - \ell^{\mathrm{train}}_{32} < L_{64} - \ell^{\mathrm{train}}_{64} "
    r"\quad \mathrm{and} \quad L_{32} > L_{64}",
    experiment="pig-latin",
    notes="the small model generalized better and avoided overfitting, although its loss was "
    "never the lower one.",
)
SMALL_LIST = measured(
    "A23",
    "Evaluated on the same unseen words, both widths do better with the larger list.",
    r"L(\mathrm{small\ list}) > L(\mathrm{large\ list})",
    experiment="pig-latin",
    notes="both models did better on the small list (each evaluated on its own held-out words).",
)
WIDTH_OR_DATA = measured(
    "A24",
    "What doubling the width gains and what seven times as many words gain can be compared only "
    "with several seeds and on the same unseen words.",
    r"\Delta_{\mathrm{width}} = L_{32} - L_{64}, \qquad "
    r"\Delta_{\mathrm{data}} = L_{\mathrm{small}} - L_{\mathrm{large}}",
    experiment="pig-latin",
    notes="the size of the model matters more than that of the data.",
)
DECODER_ONLY_LOSS = measured(
    "A28",
    "A decoder-only model of width 128 learns the same task from the same list, about as well.",
    r"L_{\mathrm{decoder\ only},\,128} \approx 0.43 \mathrm{\ in\ the\ notes}",
    experiment="pig-latin",
)
ENCODER_PAYS = measured(
    "A29",
    "Whether an encoder is worth its weights shows only at equal parameters: the decoder-only "
    "model of the notes has about twice as many as the encoder-decoder that it is compared with.",
    r"271{,}902 \mathrm{\ against\ } 143{,}070 \mathrm{\ weights}, \qquad 0.428 - 0.417 = 0.011",
    experiment="pig-latin",
    notes="the encoder-decoder is better because of its higher representational capacity.",
)
GRADED_TASKS = measured(
    "A30",
    "A decoder-only model is simpler and nearly as good on an easy task; whether an encoder pays "
    "off on a harder one is measured at equal parameters.",
    r"\Delta_{\mathrm{hard}} > \Delta_{\mathrm{easy}} \approx 0",
    experiment="pig-latin",
)
