"""Translate a hundred everyday sentences that no phrasebook line equals, and count the right ones.

    make demo && python benchmarks/everyday_hundred.py runs/demo [--table]

`tests/golden/everyday-100.tsv` was written by somebody who had seen neither grammar nor phrasebook,
and is never edited. A translation is right if it is one of those accepted there, whatever its
punctuation, nukta and ँ. `--table` prints what came out, as a Markdown table.
"""

import argparse
import re
import unicodedata
from itertools import product
from pathlib import Path

from dragoman.config.reading import read_recipe
from dragoman.data.corpus.corpus import open_corpus
from dragoman.tasks.translation.bare_translator import BareTranslator

LIST = Path(__file__).parents[1] / "tests" / "golden" / "everyday-100.tsv"
CHOICE = re.compile(r"\[([^\]]*)\]")


def normal(text: str) -> str:
    """Leave out punctuation, nukta and case; ँ counts as ं."""
    text = unicodedata.normalize("NFD", text.lower()).replace("\u093c", "").replace("ँ", "ं")
    return " ".join(re.sub(r"[।.,!?;:'’\"-]", " ", text).split())


def expand(pattern: str) -> set[str]:
    """Spell out every choice of a pattern: [a/b/] is a, b or nothing."""
    parts = CHOICE.split(pattern)
    options = [part.split("/") if i % 2 else [part] for i, part in enumerate(parts)]
    return {normal("".join(chosen)) for chosen in product(*options)}


def read() -> dict[str, set[str]]:
    """Read the sentences and all that is accepted of each."""
    accepted = {}
    for line in LIST.read_text(encoding="utf-8").splitlines():
        english, patterns = line.split("\t")
        accepted[english] = set().union(*[expand(one) for one in patterns.split(" | ")])
    return accepted


def main() -> None:
    """Translate, count and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run", type=Path)
    parser.add_argument("--table", action="store_true")
    asked = parser.parse_args()
    accepted = read()
    written = BareTranslator.load(asked.run).translate(list(accepted))
    both = zip(accepted, written, strict=True)
    right = [normal(hindi) in accepted[english] for english, hindi in both]
    recipe = read_recipe(asked.run / "recipe.toml")
    trained = {normal(pair.source) for pair in open_corpus(recipe.corpus, recipe.seed).train()}
    if asked.table:
        print("| English | what came out | right |\n|---|---|---|")
        for english, hindi, good in zip(accepted, written, right, strict=True):
            print(f"| {english} | {hindi} | {'yes' if good else 'no'} |")
    shown = sum(normal(english) in trained for english in accepted)
    print(f"{sum(right)} of {len(right)} right; {shown} of them stand in the training pairs")


if __name__ == "__main__":
    main()
