"""The topic of representation learning."""

from dragoman.lab.topic import Section, Topic
from dragoman.lab.topics.representation.axes import linear_autoencoder, quiet_axes
from dragoman.lab.topics.representation.clip import zero_shot

TOPIC = Topic(
    id="K18",
    name="representation",
    title="CLIP, autoencoders and PCA",
    introduction=(
        "A representation is a list of numbers that stands for something else: a picture, a "
        "sentence. It is good if what one wants to know can be read off it easily. Three ways to "
        "get one are compared here. PCA keeps the directions in which the data vary most, an "
        "autoencoder keeps what it needs to draw the picture again, and CLIP keeps what a picture "
        "and its caption have in common."
    ),
    sections=[
        Section(
            "What varies most",
            "The covariance of the data has eigenvectors, which stand at right angles, and along "
            "each of them the data have a variance, its eigenvalue. PCA takes these vectors for "
            "new axes. Nothing is lost by that, and the new coordinates do not correlate, though "
            "they may well depend on each other in other ways. Only dropping the last axes loses "
            "something: on average exactly the sum of their eigenvalues, and no other choice of as "
            "many axes loses less.\n\n"
            "That is a statement about squared errors of the data, not about what they are used "
            "for. A loud axis may be the lighting of a photograph, and a quiet one what is in it.",
            [quiet_axes],
        ),
        Section(
            "What draws the picture again",
            "An autoencoder is a network with a narrow middle, trained to say what it was told. "
            "With one linear layer each way, its best error is that of PCA, and the space that it "
            "finds is the same. The axes within that space are not: any invertible mixture of "
            "codes, undone on the way back, is as good. So its loss has no single minimum but a "
            "whole valley of them, all equally deep, and no false ones. Layers with activations "
            "between them may bend the space, and then keep more of the data with as many numbers.",
            [linear_autoencoder],
        ),
        Section(
            "What caption and picture share",
            "CLIP has two networks, or towers, one for pictures and one for texts, that end in "
            "vectors of one width. Trained on pairs, they learn to point the same way for a "
            "picture and its caption and elsewhere for all others of the batch. Only directions "
            "count: both vectors are brought to length one before they are multiplied. Since a "
            "cosine is at most 1, a softmax of bare cosines would be nearly even, and so it is "
            "multiplied by a scale, which is learned and ends near 100.\n\n"
            "To classify pictures, write a text for each class and take the nearest. Nothing has "
            "to be trained for that, which is why it is called *zero-shot*.",
            [zero_shot],
        ),
    ],
)
