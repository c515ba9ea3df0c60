"""Claims on recurrent networks that only trainings can decide."""

from dragoman.lab.claims import measured

deeper_is_better = measured(
    "B29",
    "A stack of three LSTM layers is said to translate better than one layer: it has more "
    "states to hold the sentence, and a hierarchy from words to phrases.",
    r"h_t^{(l)} = \mathrm{LSTM}(h_{t-1}^{(l)}, h_t^{(l-1)}), \qquad l = 1, 2, 3",
    experiment="encoder-decoder",
)

lstm_against_gru = measured(
    "C1",
    "For sentiment analysis of reviews, an LSTM and a GRU are said to be equally accurate, with "
    "slightly better precision, recall and F1 for the LSTM.",
    r"F_1 = \frac{2\,P\,R}{P + R}",
    experiment="sentiment",
)

cell_keeps_the_number = measured(
    "E100",
    "The memory cell of a GRU can keep a fact such as singular or plural until it is needed; at "
    "every step a candidate may replace it.",
    r"m_t = h_t, \qquad m_t = \Gamma_u \odot \tilde{m}_t + (1 - \Gamma_u) \odot m_{t-1}",
    experiment="agreement",
)

verb_agrees = measured(
    "E103",
    "“The man who pulled the cart when the king arrived *was* already tired”: to get the verb "
    "right, a network must remember the number of the subject across other nouns.",
    experiment="agreement",
)

right_context = measured(
    "E109",
    "“Teddy bears are on sale”, “Teddy Roosevelt was a great president”: the kind of the first "
    "word can only be told from what follows, so a network that reads in one direction cannot "
    "tag it.",
    experiment="right-context",
)
