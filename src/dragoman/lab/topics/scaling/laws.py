"""Claims on scaling, which the trainings of the scaling experiment decide."""

from dragoman.lab.claims import measured

curves = measured(
    "A31",
    "Plotted against training FLOPs, the validation losses of networks of different sizes form "
    "curves that cross: the best size depends on the budget, and larger budgets favor larger "
    "networks.",
    r"L_N(C), \qquad N = L(4h^2 + 4h) + hV + V \in \{4862, 17886, \dots, 268062\}",
    notes="the curves, fitted by polynomials of degree five, belong to networks of 862, 17866 "
    "and 11866 parameters, of which the first two are damaged forms of 4,862 and 17,886.",
    experiment="scaling",
)

larger_is_better = measured(
    "A32",
    "With few FLOPs small networks are ahead, with many FLOPs larger ones, and each further "
    "doubling of FLOPs gains less. Beyond some size, a larger network no longer clearly lowers "
    "the final loss.",
    r"L^*(C) - L^*(2C) \;\mathrm{falls\ with}\; C",
    notes="larger networks always end at a lower loss.",
    experiment="scaling",
)

profiles = measured(
    "A33",
    "At a fixed budget the loss is approximately a parabola in the logarithm of the size, and "
    "its minimum is the compute-optimal size. Any base of the logarithm will do, as long as the "
    "fit and the plot use the same one.",
    r"L(N) = a \ln^2 N + b \ln N + c, \qquad N^* = \exp\left(-\frac{b}{2a}\right)",
    experiment="scaling",
)

optimal_size = measured(
    "A34",
    r"The compute-optimal size grows as a power of the budget. Extrapolated from $1.3 \cdot "
    "10^{12}$ to $10^{15}$ FLOPs, our fit gives about one million parameters, with an interval "
    "from 0.5 to 3 million.",
    r"N^*(C) \propto C^{a}",
    notes="the compute-optimal size at $10^{15}$ FLOPs is 3.7 million parameters.",
    experiment="scaling",
)

optimal_tokens = measured(
    "A35",
    "The compute-optimal number of tokens grows as a power of the budget, too. A network of "
    "268,062 parameters that has seen 5.0 million tokens has cost 8.6 TFLOPs. For that budget "
    "our fit suggests fewer parameters and more tokens, but the interval is too wide to be "
    "sure.",
    r"D^*(C) \propto C^{b}, \qquad C \approx 6 N D",
    notes="the network has seen 6.6 million tokens, which would have cost 11.3 TFLOPs.",
    experiment="scaling",
)
