"""The topic of convolutional networks."""

from dragoman.lab.topic import Section, Topic
from dragoman.lab.topics.convolution.alexnet import (
    alexnet_total,
    first_convolution,
    first_linear,
    first_pooling,
    last_convolutions,
    last_linear,
    last_pooling,
    second_convolution,
    second_pooling,
)
from dragoman.lab.topics.convolution.alexnet_layers import local_response, relu_everywhere
from dragoman.lab.topics.convolution.deeper import (
    googlenet_saves_work,
    naive_inception,
    small_filters,
)
from dragoman.lab.topics.convolution.fields import depth_for_the_field, receptive_fields
from dragoman.lab.topics.convolution.filters import (
    convolution_finds_patches,
    filter_of_three,
    learned_filters,
)
from dragoman.lab.topics.convolution.images import image_properties
from dragoman.lab.topics.convolution.pooling import (
    gradient_of_the_maximum,
    max_against_average,
    pooling_after,
    pooling_reduces,
)
from dragoman.lab.topics.convolution.residual import (
    deeper_is_better,
    degradation,
    first_weights,
    identity_layers,
    residual_counts,
    residual_identity,
)
from dragoman.lab.topics.convolution.sizes import (
    border_pixels,
    output_size_with_padding,
    output_size_without_padding,
    padding_for_a_stride,
    padding_for_the_same_size,
)
from dragoman.lab.topics.convolution.symmetry import (
    equivariance_moves_along,
    exactly_equivariant,
    shift_equivariance,
    shift_invariance,
    turn_equivariance,
)
from dragoman.lab.topics.convolution.texts import text_as_image

TOPIC = Topic(
    id="K16",
    name="convolution",
    title="Convolutional networks",
    introduction="A dense layer connects every pixel to every unit, and would have to learn "
    "separately for each position what a corner looks like. A convolution learns it once "
    "and looks for it everywhere. This topic goes from the sum that a filter computes to "
    "the networks that were built from it, and counts every weight on the way.",
    sections=[
        Section(
            "What images are like",
            "An image of a thousand pixels is a point in a space of a thousand dimensions, and "
            "hardly any of these points look like anything. What makes images special can be "
            "measured. A pixel says a lot about its neighbor and little about a pixel ten "
            "columns away, so a filter can be *small*. A patch from the upper left has the same "
            "statistics as one from the middle, so the same filter can serve *every position*. "
            "And larger patterns are built from smaller ones, corners from edges and shapes "
            "from corners, so filters can be *stacked*.\n\n"
            "Each of the three properties can be taken away. Put the pixels of every image in "
            "random order, and there is nothing left for a convolution to find.",
            [image_properties],
        ),
        Section(
            "A filter that moves",
            "A filter is a short list of weights. Place it on the signal, multiply the values "
            "that lie on top of each other, add up the products, and move on by one. That is "
            "the whole layer. The weights do not depend on the position, so there are as many "
            "as the filter is long, however large the image is.\n\n"
            "The sum is the dot product of the filter and a patch, and a dot product is large "
            "where two vectors point in the same direction. In that sense a filter *looks for "
            "itself* in the image. But lengths count as well: a bright patch of a different "
            "kind can score higher than a dim copy of the filter. Dividing by both lengths "
            "gives the cosine, which is 1 at a true copy and smaller everywhere else. Which "
            "filters to use is best left to training.",
            [filter_of_three, convolution_finds_patches, learned_filters],
        ),
        Section(
            "Output size and padding",
            "A filter of $f$ pixels has to fit inside the image, so it has $n - f + 1$ "
            "positions in a row of $n$. Two things change this number. A stride $s$ takes only "
            "every $s$-th position, and pixels left over at the end are lost, hence the "
            "rounding. A padding of $p$ zeros on each side makes the row longer by $2p$.\n\n"
            "Padding has two purposes. Without it the image shrinks with every layer, and its "
            "outermost pixels lie under a single window, where those in the middle lie under "
            "$f$. To find the padding that keeps the size, set the output size equal to $n$ and "
            "solve for $p$. The algebra has to start from the right formula: the $+1$ stands "
            "*outside* the division by the stride.",
            [
                output_size_without_padding,
                border_pixels,
                output_size_with_padding,
                padding_for_the_same_size,
                padding_for_a_stride,
            ],
        ),
        Section(
            "Receptive fields",
            "A unit in the second layer reads a few units of the first, and each of those reads "
            "a few pixels. All these pixels together are its *receptive field*. The formula "
            "says how it grows: with each layer by $f - 1$, times the strides of all layers "
            "below. The gradient gives the same answer in another way, because it is zero at "
            "every pixel that the unit does not see. The two must agree.\n\n"
            "Small filters have a price. With stride 1 and filters of size three, it takes "
            "fifteen layers until one unit sees all 31 pixels of a row. Strides and pooling "
            "make the field grow by factors instead of by constants, which is one reason to use "
            "them.",
            [receptive_fields, depth_for_the_field],
        ),
        Section(
            "Shifts and rotations",
            "Two terms are easily confused. A function is *equivariant* if shifting the image "
            "shifts the output in the same way, and *invariant* if the output stays the same. A "
            "map that shows where the eyes are should be equivariant; the statement that there "
            "is a face should be invariant.\n\n"
            "A convolution with stride 1 is exactly equivariant to shifts. To show this without "
            "any rounding, the checks use integers and circular borders. Invariance comes "
            "later, with pooling: a part of it with small windows, all of it with a maximum "
            "over the whole map. And a convolution can be equivariant to rotations by 90° in "
            "the same way, if every filter is used in all four orientations.",
            [
                shift_equivariance,
                shift_invariance,
                exactly_equivariant,
                equivariance_moves_along,
                turn_equivariance,
            ],
        ),
        Section(
            "Pooling",
            "Pooling keeps one number from each small window: the maximum or the mean. The maps "
            "get smaller, which makes all later layers cheaper, and a pattern can move by a "
            "pixel without changing what is kept. Which kind is better, and whether it belongs "
            "before or after the filter, only training can tell.\n\n"
            "What happens to the gradient is exact. The mean divides it evenly. The maximum "
            "passes all of it to the pixel that won; the others could change a little without "
            "changing the result, so their gradient is zero. Where two pixels tie there is no "
            "derivative, and a rule has to decide. Here the first one gets the gradient.",
            [gradient_of_the_maximum, pooling_reduces, max_against_average, pooling_after],
        ),
        Section(
            "AlexNet, weight by weight",
            "AlexNet won the ImageNet competition of 2012, and its shape is still how most "
            "people picture a convolutional network: maps that get smaller and more numerous, "
            "then a few linear layers. Following one image through it is a good exercise, "
            "because every size comes from the formulas above. Here the network itself is run "
            "without data and reports its shapes and weights.\n\n"
            "Three things may surprise you. The images have 227 pixels a side, not the printed "
            "224, which the first stride does not divide evenly. The normalization compares "
            "neighboring maps and subtracts no mean. And more than half of all weights are in "
            "*one* linear layer, the one that reads the last maps: it has 9,216 inputs, not "
            "4,096. With the smaller number the total would not come to 60 million.",
            [
                first_convolution,
                first_pooling,
                local_response,
                second_convolution,
                second_pooling,
                last_convolutions,
                last_pooling,
                first_linear,
                last_linear,
                alexnet_total,
                relu_everywhere,
            ],
        ),
        Section(
            "VGG and GoogLeNet",
            r"VGG asks why filters should be large at all. Three layers of $3 \times 3$ see what "
            r"one layer of $7 \times 7$ sees, with little more than half the weights and two "
            "more ReLUs in between. The network as a whole is still one of the largest of its "
            "time, and the counts show why: nine tenths of its weights are in linear layers, "
            "while nearly all of its work is in convolutions.\n\n"
            "GoogLeNet saves both. It replaces the large linear layers by an average over each "
            "map, and it applies filters of several sizes in parallel, because the size of an "
            "object in an image is not known in advance. Done naively, the number of maps "
            r"explodes, since a pooling branch passes on as many as it gets. So narrow $1 \times "
            "1$ layers come first.",
            [small_filters, googlenet_saves_work, naive_inception],
        ),
        Section(
            "Residual networks",
            "If deeper is better, why not a hundred layers? Because beyond some depth plain "
            "networks get *worse*, even on the images they were trained on. This cannot be a "
            "lack of capacity. A deep network contains the shallow one: let the additional "
            "layers pass on their input, and every score stays the same, bit for bit. Training "
            "just does not find this solution.\n\n"
            r"A residual block makes it easy to find. It computes $\mathbf{x} + F(\mathbf{x})$, "
            "so doing nothing means $F = 0$, and small initial weights are already close to "
            "that; a plain block would have to turn its weights into the identity matrix. This "
            "is how 110 layers can be trained, and with few weights, because all filters are "
            "small.",
            [
                degradation,
                first_weights,
                identity_layers,
                residual_identity,
                deeper_is_better,
                residual_counts,
            ],
        ),
        Section(
            "Text as an image",
            "Write the vectors of a sentence's words one below the other, and it has the shape "
            "of an image that is $n$ words high and $d$ numbers wide. Filters that span a few "
            "words find phrases wherever they occur, and a maximum over all positions turns a "
            "text of any length into one vector.\n\n"
            "The properties of images hold only in part, though. Words that belong together may "
            "be far apart, and the same thing can be said in a different order: *I went to "
            "Kanpur in 2017* and *in 2017 I went to Kanpur*. Whether short filters handle this "
            "worse than a network that reads word by word is a question for an experiment.",
            [text_as_image],
        ),
    ],
)
