"""Claims on translation that only trainings can decide."""

from dragoman.lab.claims import measured

long_sentences = measured(
    "B31",
    "An encoder-decoder that summarizes a sentence in one vector fails on sentences of more than "
    "about 25 words.",
    experiment="length",
)

fixed_summary_is_inefficient = measured(
    "E113",
    "A summary of fixed size is a poor representation of a long sentence. With a context for each "
    "step, quality falls less with every additional word.",
    r"c_t = \sum_j \alpha_{tj} h_j \quad \text{in place of} \quad c = h_{T_x}",
    experiment="length",
)

teacher_forcing = measured(
    "B19",
    "A decoder that is fed the correct previous word in training (teacher forcing) learns more in "
    "the same number of steps than one that is fed its own predictions.",
    r"p(y_t \mid y_{<t}, x) \quad \text{in place of} \quad p(y_t \mid \hat{y}_{<t}, x)",
    experiment="teacher-forcing",
)

reversed_source = measured(
    "B30",
    "Reversing the source helps an encoder-decoder, because the first words of source and target "
    "are then close together.",
    r"x_{T_x}, \ldots, x_2, x_1 \to y_1, y_2, \ldots, y_{T_y}",
    experiment="encoder-decoder",
)

learned_alignment = measured(
    "B34",
    "The attention weights come from a small network that is trained jointly with the rest. After "
    "training they show which source word an output word translates.",
    r"\alpha_{ij} = \mathrm{softmax}_j\, f(h_j, s_{i-1})",
    experiment="encoder-decoder",
)

part_of_the_input = measured(
    "B48",
    "One word of the output needs only part of the input: most source words can be removed without "
    "changing it.",
    experiment="encoder-decoder",
)
