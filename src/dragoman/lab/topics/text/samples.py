"""Short texts that the checks learn from."""

from collections import Counter

from dragoman.data.formats.pair import Pair

SENTENCES = (
    "the cat sat on the mat and ate the rat",
    "the rat ran from the cat to the mat",
    "she eats bread and he has eaten the cheese",
    "we eat when we are hungry and they ate before",
    "the lower the price the better said the owner",
    "he is the slowest and she is the fastest of the runners",
    "the newest house is wider and higher than the oldest",
    "walking is slower than running and flying is the fastest",
) * 3
"""Each comes three times, so that all letters are seen often enough to get a number."""

PAIRS = (
    Pair("the cat eats", "बिल्ली खाती है"),
    Pair("the dog eats bread", "कुत्ता रोटी खाता है"),
    Pair("i went to kanpur", "मैं कानपुर गया"),
    Pair("the cat went", "बिल्ली गई"),
)


def counted_words() -> Counter[str]:
    """Return the words of the sentences and how often each stands there."""
    return Counter(word for sentence in SENTENCES for word in sentence.split())
