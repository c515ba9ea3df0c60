"""How often text is warned of: in vain on a run's own held-out sets, and rightly on foreign text.

    python benchmarks/text_warnings.py RUN [FILE...] [--texts N] [--sources-only]

Each FILE holds texts that the model was not trained on, one a line. Of each set the first N texts
are translated through the pipeline. A warning of a text of the run's own sets is a false alarm; the
last column counts those whose translation is good all the same (chrF of 60 or more). What is not
warned of in a FILE is a miss. Pseudo-words are put into the run's own validation sources. With
`--sources-only` nothing is translated, so that no score is looked at, and whole sets are done in
seconds.
"""

import argparse
from collections import Counter
from itertools import islice
from pathlib import Path

import dragoman
from dragoman.data.corpus.held_out import load_held_out
from dragoman.pipeline.confidence import are_good
from dragoman.pipeline.pseudo_words import with_pseudo_words
from dragoman.pipeline.text_warnings import TextWarning

SCORE = "less sure"
Measured = tuple[list[list[TextWarning]], list[bool] | None]


def main() -> None:
    """Print a row for each set of texts."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run", type=Path)
    parser.add_argument("files", type=Path, nargs="*")
    parser.add_argument("--texts", type=int, default=300)
    parser.add_argument("--sources-only", action="store_true")
    given = parser.parse_intermixed_args()
    translator = dragoman.Translator.load(given.run)
    measure = check if given.sources_only else translate
    held_out = load_held_out(given.run / "data")
    print(f"{'texts':<28}{'':>5} script language words score  any   good")
    for name, pairs in {"validation": held_out.valid, **held_out.tests}.items():
        some = pairs[:: max(1, len(pairs) // given.texts)]
        sources, targets = [one.source for one in some], [one.target for one in some]
        report(name, *measure(translator, sources, targets))
    sources = [pair.source for pair in held_out.valid]
    pseudo = list(islice(with_pseudo_words(sources), given.texts))
    report("with pseudo-words", *measure(translator, pseudo, None))
    for path in given.files:
        lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
        some_lines = lines[:: max(1, len(lines) // given.texts)][: given.texts]
        report(path.name, *measure(translator, some_lines, None))


def check(translator: dragoman.Translator, texts: list[str], _: object) -> Measured:
    """Look at sources alone."""
    domain = translator.pipeline().domain
    found = [domain.check(text) if domain else None for text in texts]
    return [[one] if one else [] for one in found], None


def translate(
    translator: dragoman.Translator, texts: list[str], targets: list[str] | None
) -> Measured:
    """Translate texts, and say which translations are good where that is known."""
    found = translator.translate_segments(texts)
    good = None if targets is None else are_good([one.answer.text for one in found], targets)
    return [list(one.warnings) for one in found], good


def report(name: str, warnings: list[list[TextWarning]], good: list[bool] | None) -> None:
    """Print the share of the texts that are warned of, by kind, in percent."""
    kinds = Counter("score" if SCORE in one.text else one.kind for each in warnings for one in each)
    row = [kinds["script"], kinds["language"], kinds["domain"], kinds["score"]]
    row.append(sum(map(bool, warnings)))
    if good is not None:
        row.append(sum(bool(each) and well for each, well in zip(warnings, good, strict=True)))
    shares = [f"{100 * count / len(warnings):6.1f}" for count in row]
    print(f"{name:<28}{len(warnings):>5} {' '.join(shares)}", flush=True)


if __name__ == "__main__":
    main()
