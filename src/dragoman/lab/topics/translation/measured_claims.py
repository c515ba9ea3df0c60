"""Claims on translation that only trainings can decide."""

from dragoman.lab.claims import measured

long_sentences = measured(
    "B31",
    "An encoder-decoder that sums a sentence up in one vector fails on sentences of more than "
    "about 25 words.",
    experiment="length",
)

fixed_summary_is_inefficient = measured(
    "E113",
    "A summary of a fixed size is a poor way to hold a long sentence; with a context for each step "
    "quality falls less with every further word.",
    r"c_t = \sum_j \alpha_{tj} h_j \quad \text{in place of} \quad c = h_{T_x}",
    experiment="length",
)
