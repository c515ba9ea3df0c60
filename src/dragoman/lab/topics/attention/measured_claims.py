"""Claims on attention that only trained networks can decide."""

from dragoman.lab.claims import measured

fixed_against_learned = measured(
    "B43",
    "Attention without parameters treats every task alike: it cannot learn what a task means by "
    "its words. Where the meaning of a word in context belongs to the data, learned queries, "
    "keys and values do better.",
    r"y = \mathrm{softmax}(x x^\top)\, x",
    experiment="transformer-parts",
)

heads_specialize = measured(
    "D8",
    "Several heads can attend to several things at once. Where a task has two rules, two heads "
    "come to divide them between themselves.",
    r"\mathrm{head}_k = \mathrm{softmax}\left(X Q_k K_k^\top X^\top / \sqrt{d/h}\right) X V_k",
    experiment="transformer-parts",
)
