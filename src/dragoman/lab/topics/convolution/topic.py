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
    introduction="A dense layer joins every pixel to every unit, and would have to learn what a "
    "corner looks like at each place anew. A convolution learns it once and looks for it "
    "everywhere. This topic goes from the sum that a filter is to the networks that were built of "
    "it, and counts every weight on the way.",
    sections=[
        Section(
            "What images are like",
            "An image of a thousand pixels is a point in a space of a thousand dimensions, and "
            "hardly any of those points look like anything. What sets images apart can be "
            "measured. A pixel tells much about the next one and little about one ten pixels "
            "away; so a filter may be *small*. A patch from the upper left corner has the same "
            "statistics as one from the middle; so one filter may serve *all places*. And larger "
            "patterns are made of smaller ones, corners of edges and shapes of corners; so filters "
            "may be *stacked*.\n\n"
            "Each of the three can be taken away: put the pixels of every image in random order, "
            "and nothing is left for a convolution to find.",
            [image_properties],
        ),
        Section(
            "A filter that moves",
            "A filter is a short list of weights. Lay it on the signal, multiply what lies on each "
            "other, add up, move on by one: that is the whole layer. The weights do not depend on "
            "the place, so there are as many as the filter is long, however large the image.\n\n"
            "The sum is a dot product of filter and patch, and a dot product is large where two "
            "vectors point the same way. In that sense a filter *looks for itself* in the image. "
            "It is not quite a likeness, as lengths are left in: a bright patch of another kind "
            "may score more than a dim copy of the filter. Dividing by both lengths gives the "
            "cosine, which is 1 at a true copy and less everywhere else. Which filters to look "
            "with is best left to training.",
            [filter_of_three, convolution_finds_patches, learned_filters],
        ),
        Section(
            "How large the result is",
            "A filter of $f$ pixels has to lie inside the image, so it has $n - f + 1$ places in a "
            "row of $n$. Two things change that number. A stride $s$ takes only every $s$-th "
            "place, and what is left over at the end is lost, hence the rounding. A padding of $p$ "
            "zeros at each side makes the row longer by $2p$.\n\n"
            "Padding is there for two reasons. Without it the image shrinks with every layer; and "
            "its outermost pixels lie under a single window, where those in the middle lie under "
            "$f$. Setting the size of the result equal to $n$ and solving for $p$ tells how much "
            "is needed. It is worth doing the algebra with the right formula: the $+1$ stands "
            "*outside* of the division by the stride.",
            [
                output_size_without_padding,
                border_pixels,
                output_size_with_padding,
                padding_for_the_same_size,
                padding_for_a_stride,
            ],
        ),
        Section(
            "What a unit sees",
            "A unit in the second layer reads a few units of the first, and each of those reads a "
            "few pixels. The union of these is its *receptive field*. The formula says how it "
            "grows: by $f - 1$ with each layer, times the strides of all layers below. The "
            "gradient says the same in another way, as it is nought at every pixel that the unit "
            "does not see; the two must agree.\n\n"
            "Small filters thus have a price. With stride 1 and filters of three, an image of 31 "
            "pixels takes fifteen layers until one unit has seen all of it. Strides and poolings "
            "make the field grow by factors instead of by terms, which is one reason why they are "
            "there.",
            [receptive_fields, depth_for_the_field],
        ),
        Section(
            "Shifts and turns",
            "Two words are easily confused. A function is *equivariant* if moving the image moves "
            "the answer in the same way, and *invariant* if it leaves the answer as it was. A map "
            "of where the eyes are should be equivariant; the statement that there is a face "
            "should be invariant.\n\n"
            "A convolution with stride 1 is exactly equivariant to shifts. To see it without any "
            "rounding, the checks use whole numbers, and a torus on which nothing falls off the "
            "border. Invariance comes later, with pooling: over small windows a part of it, over "
            "the whole map all of it. And what shifts are to a plain convolution, quarter turns "
            "can be as well, if every filter is used in all four positions.",
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
            "Pooling keeps one number of each small window: the largest, or the mean. The maps get "
            "smaller, so that all later layers are cheaper, and a pattern may move by a pixel "
            "without changing what is kept. Which of the two is better, and whether it belongs "
            "before or after the filter, only a training can tell.\n\n"
            "What the gradient does is exact. A mean divides it evenly. A maximum hands all of it "
            "to the pixel that won; the others could change a little and the result would not, so "
            "they get nothing. Where two are equal there is no derivative, and a rule has to "
            "choose: the first of them takes it.",
            [gradient_of_the_maximum, pooling_reduces, max_against_average, pooling_after],
        ),
        Section(
            "AlexNet, weight by weight",
            "AlexNet won the contest of 2012, and its shape is still how most people picture a "
            "convolutional network: maps that get smaller and more, then a few linear layers. "
            "Following one image through it is a good exercise, as each size comes from the "
            "formulas above; here the network itself is run without data, and says its shapes and "
            "weights.\n\n"
            "Three things surprise. The images are of 227 pixels, not of the printed 224, which "
            "would leave a pixel over. The normalization compares neighbouring maps and takes no "
            "mean away. And more than half of all weights stand in *one* linear layer, the one "
            "that reads the last maps: it has 9,216 inputs, not 4,096. With the smaller number the "
            "total would not come out at 60 million.",
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
            "Smaller filters, several sizes",
            "VGG asks why filters should be large at all. Three layers of $3 \\times 3$ see what "
            "one layer of $7 \\times 7$ sees, with little more than half of the weights and two "
            "more ReLUs in between. The network as a whole is nevertheless one of the largest of "
            "its time, and the counts show where: nine tenths of its weights are linear, nine "
            "tenths of its work is not.\n\n"
            "GoogLeNet saves both. It replaces the large linear layers by a mean over each map, "
            "and looks with filters of several sizes side by side, as the size of a thing in an "
            "image is not known beforehand. Done naively the maps pile up, since a pooling hands "
            "on as many as it gets; so narrow $1 \\times 1$ layers come first.",
            [small_filters, googlenet_saves_work, naive_inception],
        ),
        Section(
            "Depth, and the way around",
            "If deeper is better, why not a hundred layers? Because beyond some depth plain "
            "networks get *worse*, even on the images they were trained on. That cannot be a lack "
            "of strength. A deep network contains the shallow one: let the further layers hand on "
            "what they get, and every score stays the same, bit for bit. Training just does not "
            "find that solution.\n\n"
            "A residual block makes it easy to find. It computes $\\mathbf{x} + F(\\mathbf{x})$, "
            "so that doing nothing means $F = 0$, which is where small weights are anyway; a plain "
            "block would have to turn its weights into the identity matrix. With that, 110 layers "
            "train well, and with few weights, as all filters are small.",
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
            "Write the vectors of a sentence's words below each other, and it has the shape of an "
            "image that is $n$ words high and $d$ numbers wide. Filters that span a few words find "
            "phrases wherever they stand, and a maximum over all places makes one vector of a "
            "text of any length.\n\n"
            "The properties of images hold only in part, though. Words that belong together may "
            "stand far apart, and the same can be said in another order: *I went to Kanpur in "
            "2017*, and *in 2017 I went to Kanpur*. Whether such pairs are harder for short "
            "filters than for a network that reads word by word is measured.",
            [text_as_image],
        ),
    ],
)
