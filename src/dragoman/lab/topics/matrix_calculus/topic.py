"""The topic of matrix calculus."""

from dragoman.lab.topic import Section, Topic
from dragoman.lab.topics.matrix_calculus.products import hadamard_product

TOPIC = Topic(
    id="K1",
    name="matrix-calculus",
    title="Matrix calculus",
    introduction="Every training step is a derivative of one number with respect to many.",
    sections=[
        Section(
            "Products",
            "Gates multiply entry by entry, layers by matrices.",
            [hadamard_product],
        ),
    ],
)
