"""Claims on scaling, which the trainings of the scaling experiment decide."""

from dragoman.lab.claims import measured

curves = measured(
    "A31",
    "Drawn over the FLOPs that they have been trained with, the validation losses of networks of "
    "several sizes make curves that cross: each size has a range of budgets in which it is the "
    "best.",
    r"L_N(C), \qquad N = L(4h^2 + 4h) + hV + V \in \{4862, 17886, \dots, 268062\}",
    notes="the curves are polynomials of degree five, with 862, 17866 and 11866 parameters in the "
    "legend; these are the tails of 4,862 and 17,886",
    experiment="scaling",
)

larger_is_better = measured(
    "A32",
    "With few FLOPs small networks are ahead, with many the large ones, and each further doubling "
    "of FLOPs gains less. Beyond some size more of it no longer surely lowers the last loss.",
    r"L^*(C) - L^*(2C) \;\mathrm{falls\ with}\; C",
    notes="larger networks always end lower",
    experiment="scaling",
)

profiles = measured(
    "A33",
    "At one budget the loss is near enough a parabola in the logarithm of the size, and its lowest "
    "point is the compute-optimal size; any base will do if fit and plot use the same.",
    r"L(N) = a \ln^2 N + b \ln N + c, \qquad N^* = \exp\left(-\frac{b}{2a}\right)",
    experiment="scaling",
)

optimal_size = measured(
    "A34",
    "The compute-optimal size grows as a power of the budget. Carried on from "
    "$1.3 \\cdot 10^{12}$ to $10^{15}$ FLOPs, our line gives about one million parameters, with an "
    "interval from half a million to three.",
    r"N^*(C) \propto C^{a}",
    notes="at 1e15 FLOPs it is 3.7 million parameters",
    experiment="scaling",
)

optimal_tokens = measured(
    "A35",
    "The tokens to train on grow as a power of the budget too. For the cost of a network of "
    "268,062 parameters that has seen 5.0 million tokens, 8.6 TFLOP, our fits put the optimum at "
    "fewer parameters and more tokens, though not surely.",
    r"D^*(C) \propto C^{b}, \qquad C \approx 6 N D",
    notes="it has seen 6.6 million tokens, which would have cost 11.3 TFLOP",
    experiment="scaling",
)
