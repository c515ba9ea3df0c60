"""Names of languages, and which are written from right to left."""

from pathlib import Path

from dragoman.data.formats.languages import plain

TABLE = Path(__file__).with_suffix(".tsv").read_text(encoding="utf-8")
NAMES = dict(line.split("\t") for line in TABLE.splitlines())

FROM_RIGHT = frozenset(("ar", "fa", "he", "ps", "sd", "ug", "ur", "yi", "ckb", "dv"))


def language_name(code: str) -> str:
    """Return the English name of a language; a code that is not known names itself."""
    base, _, region = plain(code).partition("-")
    name = NAMES.get(base)
    if name is None:
        return code
    return f"{name} ({region.upper() if len(region) == 2 else region})" if region else name


def from_right(code: str) -> bool:
    """Say whether a language is written from right to left."""
    return plain(code).split("-")[0] in FROM_RIGHT
