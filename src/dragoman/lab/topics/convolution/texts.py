"""Claims on convolutions over text."""

from dragoman.lab.claims import measured

text_as_image = measured(
    "E79",
    "The vectors of a text's words, one below the other, can be read by a convolutional network "
    "like an image. But texts have any length, what belongs together may stand far apart, and the "
    "same thing can be said in another order: a network of short filters finds it harder than a "
    "recurrent one to see that two sentences are paraphrases with their parts exchanged.",
    r"\mathbf{X} = \begin{pmatrix} \mathbf{x}_1 & \mathbf{x}_2 & \cdots & \mathbf{x}_n "
    r"\end{pmatrix}^{\top} \in \mathbb{R}^{n \times d}",
    experiment="paraphrases",
)
