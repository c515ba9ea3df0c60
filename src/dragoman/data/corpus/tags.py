"""Tags: where one model writes several languages, each source begins with the one to write.

The first language of the recipe that is written has ｟31｠, the next ｟30｠, and so on.
"""

import re
from collections.abc import Callable, Sequence

from dragoman.config.corpus import CorpusSettings, FilesCorpus, SeveralCorpus
from dragoman.core.errors import ConfigError
from dragoman.data.formats.placeholders import COUNT, EXTRA, PROMPT_END, placeholder

MOST = COUNT - PROMPT_END - 1
"""Languages that one model can write."""

MARK = placeholder(EXTRA)
"""Stands before the source of an extra pair, after the language, where `mark_extra` asks for it."""

LONGEST_NAME = 24
Direction = tuple[str, str]
FindTag = Callable[[str], tuple[str, str]]
"""Parts a text into its tag, with the space after it, and the rest."""


def directions(settings: CorpusSettings) -> list[Direction]:
    """Return each (source, target) that a corpus teaches, in the order of the recipe."""
    if isinstance(settings, SeveralCorpus):
        return list(dict.fromkeys(way for part in settings.parts for way in directions(part)))
    way = (settings.source_language, settings.target_language)
    both = isinstance(settings, FilesCorpus) and settings.both_ways
    return [way, way[::-1]] if both else [way]


def written_languages(settings: CorpusSettings) -> tuple[str, ...]:
    """Return the languages that tags tell apart; none where only one is written."""
    ways = directions(settings)
    written = {target for _, target in ways}
    if len(written) < 2:
        return ()
    if len(written) > MOST:
        raise ConfigError(
            f"the corpus writes {len(written)} languages, and tags tell {MOST} apart. "
            "Take parts away from corpus.parts, or train two models."
        )
    met = dict.fromkeys(language for way in ways for language in way)
    return tuple(language for language in met if language in written)


def tag(settings: CorpusSettings, language: str) -> str:
    """Return what stands before a source to be translated into a language; "" without tags."""
    written = written_languages(settings)
    return placeholder(COUNT - 1 - written.index(language)) if language in written else ""


def tagged(text: str, *tags: str) -> str:
    """Put tags before a source, each with its space; "" is no tag."""
    return "".join(f"{one} " for one in tags if one) + text


def tagging(settings: CorpusSettings | None, to: str | None) -> FindTag:
    """Return the function that parts a user's text from the tag it has or needs.

    Without `to`, a text must open with the tag of a known language, as stored test sets do. Without
    settings nothing is known of languages, and no text has a tag.
    """
    if settings is None:
        if to is not None:
            raise ConfigError(f"this translator was made without languages. Leave out to={to!r}.")
        return lambda text: ("", text)
    written = written_languages(settings)
    known = written or tuple(dict.fromkeys(target for _, target in directions(settings)))
    if to is not None and to not in known:
        raise ConfigError(f"this model does not write {to!r}; it writes {_listed(known)}.")
    if not written:
        return lambda text: ("", text)
    if to is not None:
        mine = tagged("", tag(settings, to))
        return lambda text: (mine, text.removeprefix(mine))
    tags = {tagged("", tag(settings, language)) for language in written}

    def find(text: str) -> tuple[str, str]:
        before, space, rest = text.partition(" ")
        if before + space not in tags:
            raise ConfigError(f"this model writes {_listed(written)}; say which with --to.")
        return before + space, rest

    return find


def _listed(names: Sequence[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def in_words(settings: CorpusSettings) -> str:
    """Say which languages are translated: `en to es and es to en`."""
    return _listed([f"{source} to {target}" for source, target in directions(settings)])


def set_names(settings: CorpusSettings) -> dict[Direction, str]:
    """Return the name of each direction's test set: `en_es`."""
    names: dict[Direction, str] = {}
    for source, target in directions(settings):
        name = first = f"{plain_name(source)}_{plain_name(target)}"
        number = 2
        while name in names.values():
            name, number = f"{first}_{number}", number + 1
        names[source, target] = name
    return names


def plain_name(language: str) -> str:
    """Spell the name of a language in the letters that a test set's name may have."""
    return re.sub("[^a-z0-9]+", "_", language.lower()).strip("_")[:LONGEST_NAME] or "other"
