"""How the time to cut a text into pieces grows with its length, on texts made to be awkward.

    python benchmarks/encoding_time.py

The claim: ten times the text takes at most about twelve times as long. Times are processor time,
the least of five. Where a text outgrows a cache of the processor, one decade takes more.
"""

import time
from itertools import islice

from dragoman.config.corpus import GrammarCorpus
from dragoman.config.tokenizer import BpeTokenizerSettings
from dragoman.data.corpus.corpus import open_corpus
from dragoman.data.tokenizer.tokenizer import Tokenizer
from dragoman.data.tokenizer.train import train_tokenizer_pair

UNITS = ["a", "ab", " ", "\u0301", "\u0301\u0316", "\u0f73", "😀", "👩\u200d", "नमस्ते", "▁", "｟1｠"]
LENGTHS = (1_000, 10_000, 100_000, 1_000_000)


def seconds(vocabulary: Tokenizer, text: str) -> float:
    """Return the processor time of encoding a text, the least of five."""
    times = []
    for _ in range(5):
        begin = time.process_time()
        vocabulary.encode(text)
        times.append(time.process_time() - begin)
    return min(times)


def main() -> None:
    """Print, for each text repeated, the time for a million characters and the growth."""
    corpus = open_corpus(GrammarCorpus(), seed=1)
    pairs = islice(corpus.train(), 2_000)
    vocabulary = train_tokenizer_pair(BpeTokenizerSettings(vocab_size=1_000), pairs).source
    print(f"{'repeated':16} {'ms at 1 M':>10}  times as long, per decade")
    for unit in UNITS:
        times = [seconds(vocabulary, (unit * n)[:n]) for n in LENGTHS]
        growth = [f"{after / before:5.1f}" for before, after in zip(times, times[1:], strict=False)]
        mean = (times[-1] / times[0]) ** (1 / 3)
        print(f"{ascii(unit):16} {1000 * times[-1]:10.0f}  {' '.join(growth)}  mean {mean:.1f}")


if __name__ == "__main__":
    main()
