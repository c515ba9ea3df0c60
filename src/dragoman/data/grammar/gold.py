"""The gold alignments of stored pairs: the sets are drawn again, which gives the same sentences."""

from collections.abc import Callable, Sequence

from dragoman.core.errors import DataError
from dragoman.data.formats.pair import Pair
from dragoman.data.grammar.combinations import held_out as is_held_out
from dragoman.data.grammar.sample import Drawer, GrammarExample, familiar
from dragoman.data.grammar.syntax.nominals import Pairs


def redraw(pairs: Sequence[Pair], name: str, *, difficulty: int, seed: int) -> list[GrammarExample]:
    """Return the stored pairs of a held-out set (`valid`, `unseen`, `combinations`) as drawn.

    Training need not be drawn for that: what it shows only decides which sentences are left out,
    so the stored ones stand among those that are drawn without asking.
    """
    fits: Callable[[Pairs], bool] = _unfamiliar if name == "combinations" else familiar
    sources = {pair.source for pair in pairs}
    for times in (1, 2, 4, 8):
        found = _draw(name, times * len(pairs), fits, Drawer(difficulty, seed))
        if sources <= found.keys():
            break
    known = [found[pair.source] for pair in pairs if pair.source in found]
    told = [(example.source, example.target) for example in known]
    if told != [tuple(pair) for pair in pairs]:
        raise DataError(
            f"the stored {name} sentences are not those that the grammar draws with difficulty "
            f"{difficulty} and seed {seed}, so their words have no gold alignment. They were "
            "changed, or drawn by another version of Dragoman."
        )
    return known


def _draw(
    name: str, wanted: int, fits: Callable[[Pairs], bool], drawer: Drawer
) -> dict[str, GrammarExample]:
    try:
        return {example.source: example for example in drawer.draw(name, wanted, fits)}
    except DataError:  # the grammar has no more of them, and they were looked for in all it has
        return {}


def _unfamiliar(found: Pairs) -> bool:
    return any(is_held_out(*pair) for pair in found)
