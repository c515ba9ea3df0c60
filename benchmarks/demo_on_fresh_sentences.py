"""Score the demo's run on sentences that had no part in choosing its recipe.

    make demo && python benchmarks/demo_on_fresh_sentences.py runs/demo

The recipe's settings were chosen by the scores of the test sets of seed 1. Here both sets are drawn
from another seed, and sentences that the run trained, validated or was tested on are left out.
"""

import sys
from pathlib import Path

from dragoman.config.reading import read_recipe
from dragoman.data.corpus.corpus import open_corpus
from dragoman.data.formats.pair import Pair
from dragoman.data.grammar.sample import draw_sets
from dragoman.tasks.translation.bare_translator import BareTranslator
from dragoman.tasks.translation.evaluate import score_translations

SEED = 20261115


def main() -> None:
    """Draw, translate and print one line per set."""
    run = Path(sys.argv[1])
    recipe = read_recipe(run / "recipe.toml")
    corpus = open_corpus(recipe.corpus, recipe.seed)
    used = {pair.source for pair in corpus.train()} | {pair.source for pair in corpus.valid}
    used |= {pair.source for pairs in corpus.tests.values() for pair in pairs}
    drawn = draw_sets(pairs=20_000, held_out=1000, difficulty=4, seed=SEED)
    translator = BareTranslator.load(run)
    for name, examples in (("unseen", drawn.unseen), ("combinations", drawn.combinations)):
        pairs = [Pair(e.source, e.target) for e in examples if e.source not in used]
        judged = score_translations(
            translator, pairs, name, bootstrap=1000, metrics=("bleu", "chrf")
        )
        figures = ", ".join(
            f"{score.name} {score.value:.2f} [{score.low:.2f}, {score.high:.2f}]"
            for score in judged.scores.values()
        )
        print(f"{name}: {len(pairs)} sentences, {figures}, exact {judged.exact:.1f} %")


if __name__ == "__main__":
    main()
