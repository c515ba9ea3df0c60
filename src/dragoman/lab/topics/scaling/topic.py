"""The topic of scaling laws."""

from dragoman.lab.topic import Section, Topic
from dragoman.lab.topics.scaling.laws import (
    curves,
    larger_is_better,
    optimal_size,
    optimal_tokens,
    profiles,
)

TOPIC = Topic(
    id="K14",
    name="scaling-laws",
    title="Scaling laws",
    introduction=(
        "For a given compute budget, should the network be larger, or should it see more data? "
        "Training a few small networks for different lengths of time answers the question for "
        "small budgets, and a straight line on logarithmic axes extrapolates the answer. All "
        "claims on this page are decided by training runs: six sizes of a decoder-only network "
        "that writes Pig Latin, three seeds each, run by `dragoman lab run scaling`."
    ),
    sections=[
        Section(
            "Loss against FLOPs",
            "For every network, count the FLOPs it has spent and plot its loss against them "
            "instead of against steps. A step of a small network is cheap, so its loss falls "
            "first; but it also levels off first, at a loss that more training does not lower. "
            "Large networks start late and end lower, so the curves cross. Their lower envelope "
            "is the best loss that each budget can buy. On a logarithmic FLOP axis the envelope "
            "flattens: each doubling gains less than the one before. How far larger networks "
            "stay ahead depends on the data: with only 2,558 words to learn, the final losses "
            "of the largest networks can no longer be told apart.",
            [curves, larger_is_better],
        ),
        Section(
            "IsoFLOP profiles",
            "Now hold the FLOPs fixed and vary the size. A network that is too small cannot "
            "learn the task; one that is too large has seen too little data. In between the "
            "loss has a minimum. As a function of the logarithm of the size it is nearly a "
            "parabola (Hoffmann et al. 2022), so three or more sizes determine a fit whose "
            "minimum, $N^*$, need not be one of them.\n\n"
            "Two things go wrong easily. The fit and the plot must use the same logarithm, or "
            "the exponent of the optimum is off by a factor of 2.3. And if the best size is the "
            "smallest or the largest one tried, the minimum is not bracketed, and nothing can "
            "be read off.",
            [profiles],
        ),
        Section(
            "Extrapolation",
            "The optima of several budgets lie close to a straight line on log-log axes, which "
            r"is a power law, and with $C \approx 6ND$ the number of tokens follows another. "
            "Such a line can be read off anywhere, and that is its danger: the budgets here end "
            r"at $1.3 \cdot 10^{12}$ FLOPs, and on the way to $10^{15}$ a small error in the "
            "slope is extrapolated over nearly three orders of magnitude. So each figure comes "
            "with an interval, from a bootstrap over the training runs. The notes' own figure "
            "for that budget lies outside ours. For the run that the notes judge, the interval "
            "is too wide to decide.",
            [optimal_size, optimal_tokens],
        ),
    ],
)
