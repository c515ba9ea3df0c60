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
    name="scaling",
    title="Scaling laws",
    introduction=(
        "Given so many operations to train with, should the network be larger or be shown more? "
        "Training a few small networks to different ends answers it for small budgets, and a "
        "straight line in logarithms carries the answer on. All claims of this topic are decided "
        "by trainings: six sizes of a decoder-only network that writes Pig Latin, three seeds "
        "each, run by `dragoman lab run scaling`."
    ),
    sections=[
        Section(
            "Loss by FLOPs",
            "Count for every network the FLOPs that it has spent, and draw its loss over them "
            "instead of over steps. A step of a small network is cheap, so it falls first; but it "
            "also levels off first, at a loss that more training does not lower. The large ones "
            "begin late and end lower, and so the curves cross. Their lower envelope is the best "
            "that can be had for each budget. On a logarithmic axis of FLOPs it bends: what the "
            "next doubling gains is less than what the last one did. How far the order of sizes "
            "holds at the end depends on the data: where there are 2,558 words to learn, the "
            "largest networks are no longer told apart.",
            [curves, larger_is_better],
        ),
        Section(
            "One budget, many sizes",
            "Now hold the FLOPs fixed and vary the size. Too small a network cannot learn the "
            "task, too large a one has seen too little of it, and between them the loss has a "
            "minimum. In the logarithm of the size it is nearly a parabola (Hoffmann et al. "
            "2022), so that three or more sizes give a fit whose lowest point, $N^*$, need not be "
            "one of them.\n\n"
            "Two things go wrong easily. Fit and plot must use the same logarithm, or the optimum "
            "is off by powers of 2.3. And where the best of the sizes is the smallest or the "
            "largest, there is no minimum between them and nothing may be read off.",
            [profiles],
        ),
        Section(
            "Carrying it on",
            "The optima of several budgets lie near a line in double logarithms, a power law, and "
            "with $C \\approx 6ND$ the tokens follow another. Such a line can be read anywhere, "
            "and that is its danger: the budgets here end at $1.3 \\cdot 10^{12}$ FLOPs, and at "
            "$10^{15}$ the slope's small error has grown by nearly three powers of ten. So each "
            "figure comes with an interval, by a bootstrap over the trainings. The notes' own "
            "figure for that budget lies outside of ours. For the run that they judge, the "
            "interval is too wide to say.",
            [optimal_size, optimal_tokens],
        ),
    ],
)
