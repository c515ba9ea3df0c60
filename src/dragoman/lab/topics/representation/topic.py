"""The topic of representation learning."""

from dragoman.lab.topic import Section, Topic
from dragoman.lab.topics.representation.axes import linear_autoencoder, quiet_axes
from dragoman.lab.topics.representation.clip import captions_that_find, zero_shot

TOPIC = Topic(
    id="K18",
    name="representation",
    title="CLIP, autoencoders and PCA",
    introduction=(
        "A representation is a vector that stands for something else: an image, a sentence. It "
        "is good if what one wants to know can easily be read off it. This page compares three "
        "ways to get one. PCA keeps the directions in which the data vary most, an autoencoder "
        "keeps what it needs to reconstruct its input, and CLIP keeps what an image and its "
        "caption have in common."
    ),
    sections=[
        Section(
            "PCA",
            "The covariance matrix of the data has orthogonal eigenvectors, and each eigenvalue "
            "is the variance of the data along its eigenvector. PCA uses the eigenvectors as "
            "new axes. This alone loses nothing, and the new coordinates are uncorrelated, "
            "although they may still depend on each other in other ways. Only dropping the last "
            "axes loses something: a mean squared error equal to the sum of their eigenvalues, "
            "and no other choice of as many axes loses less.\n\n"
            "That is a statement about the squared error of the data, not about what the data "
            "are used for. The axis with the largest variance may be the lighting of a "
            "photograph, and one with a small variance may be what it shows.",
            [quiet_axes],
        ),
        Section(
            "Autoencoders",
            "An autoencoder is a network with a narrow hidden layer, trained to reproduce its "
            "input. With one linear layer on each side, its smallest error is that of PCA, and "
            "the subspace it finds is the same. The axes within that subspace are not: any "
            "invertible mixture of the code, undone by the decoder, is equally good. So its "
            "loss has no single minimum but a whole valley of them, all equally deep, and no "
            "local minima that are worse. With nonlinear layers the subspace can become a "
            "curved surface, which may keep more of the data with the same number of "
            "dimensions.",
            [linear_autoencoder],
        ),
        Section(
            "CLIP",
            "CLIP has two networks, or towers, one for images and one for texts, whose outputs "
            "have the same width. Trained on pairs, they learn to produce similar directions "
            "for an image and its own caption, and different directions for all other pairs in "
            "the batch. Only the directions count: both embeddings are normalized to unit "
            "length before their inner product is taken. Since a cosine is at most 1, a softmax "
            "over plain cosines would be nearly uniform, so they are multiplied by a scale, "
            "which is learned and ends up near 100.\n\n"
            "To classify images, write one text per class and choose the most similar. No "
            "further training is needed, which is why this is called *zero-shot* "
            "classification.",
            [zero_shot, captions_that_find],
        ),
    ],
)
