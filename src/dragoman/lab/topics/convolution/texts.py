"""Claims on convolutions over text."""

from dragoman.lab.claims import measured

text_as_image = measured(
    "E79",
    "The vectors of a text's words, one below the other, can be read by a convolutional network "
    "like an image. But texts have any length, related words may be far apart, and the same "
    "thing can be said in a different order. A network with short filters is therefore said to "
    "be more sensitive than a recurrent one to an exchange of clauses.",
    r"\mathbf{X} = \begin{pmatrix} \mathbf{x}_1 & \mathbf{x}_2 & \cdots & \mathbf{x}_n "
    r"\end{pmatrix}^{\top} \in \mathbb{R}^{n \times d}",
    experiment="paraphrases",
)
