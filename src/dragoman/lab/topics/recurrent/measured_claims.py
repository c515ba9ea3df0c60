"""Claims on recurrent networks that only trainings can decide."""

from dragoman.lab.claims import measured

deeper_is_better = measured(
    "B29",
    "Three layers of LSTM one above the other translate better than one: more states to keep the "
    "sentence in, and a hierarchy from words to phrases.",
    r"h_t^{(l)} = \mathrm{LSTM}(h_{t-1}^{(l)}, h_t^{(l-1)}), \qquad l = 1, 2, 3",
    experiment="encoder-decoder",
)

lstm_against_gru = measured(
    "C1",
    "For the sentiment of a review, an LSTM and a GRU are equally accurate, and the LSTM has "
    "slightly better precision, recall and F1.",
    r"F_1 = \frac{2\,P\,R}{P + R}",
    experiment="sentiment",
)

cell_keeps_the_number = measured(
    "E100",
    "The memory cell of a GRU can keep such a thing as singular or plural until it is needed; a "
    "candidate may replace it at every step.",
    r"m_t = h_t, \qquad m_t = \Gamma_u \odot \tilde{m}_t + (1 - \Gamma_u) \odot m_{t-1}",
    experiment="agreement",
)

verb_agrees = measured(
    "E103",
    "“The man who pulled the cart when the king arrived *was* already tired”: to get the verb "
    "right, a network must remember the number of its subject past other nouns.",
    experiment="agreement",
)

right_context = measured(
    "E109",
    "“Teddy bears are on sale”, “Teddy Roosevelt was a great president”: what the first word is "
    "can only be told from what follows, so a network that reads one way cannot tag it.",
    experiment="right-context",
)
