"""Which share of the demo's training should come from the phrasebook, chosen on validation.

    python benchmarks/phrasebook_share.py 0.1 0.2 0.3

Trains the demo's recipe with each share and scores it on the validation sentences of the grammar
and on the validation half of the phrasebook's near variants; no test set is looked at.
"""

import sys
import tempfile
from pathlib import Path
from random import Random

from dragoman.data.corpus.held_out import load_held_out
from dragoman.data.formats.pair import Pair
from dragoman.data.grammar.phrasebook.book import near_variants
from dragoman.engine.checkpoint.folder import trained_run
from dragoman.tasks.translation.bare_translator import BareTranslator
from dragoman.tasks.translation.evaluate import score_translations
from dragoman.trainer import train

GRAMMAR = 500


def main() -> None:
    """Train and score each share, and print one line for it."""
    variants = near_variants(10_000, Random(0), validation=True)
    everyday = [Pair(one.english, one.hindi) for one in variants]
    with tempfile.TemporaryDirectory() as folder:
        for share in sys.argv[1:]:
            run = Path(folder) / share
            train("english-hindi", [f"corpus.phrasebook={share}"], folder=run)
            translator = BareTranslator.load(run)
            grammar = load_held_out(trained_run(run).data).valid[:GRAMMAR]
            figures = []
            for name, pairs in (("grammar", grammar), ("everyday", everyday)):
                judged = score_translations(translator, pairs, name, metrics=("bleu",))
                bleu = judged.scores["bleu"].value
                figures.append(f"{name} BLEU {bleu:.2f}, exact {judged.exact:.1f} %")
            print(f"{share}: {'; '.join(figures)} ({len(everyday)} variants)", flush=True)


if __name__ == "__main__":
    main()
