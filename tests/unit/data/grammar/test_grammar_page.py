from pathlib import Path

from dragoman.data.grammar.sample import count
from dragoman.data.grammar.table import ROWS, refresh

ROOT = next(up for up in Path(__file__).parents if (up / "docs").is_dir())
PAGE = ROOT / "docs" / "concepts" / "grammar.md"


def test_the_page_shows_what_the_grammar_generates_now():
    page = PAGE.read_text(encoding="utf-8")
    assert refresh(page) == page
    assert page.count("।") >= ROWS // 2


def test_the_page_gives_the_counts_of_the_grammar():
    page = PAGE.read_text(encoding="utf-8")
    for difficulty in range(1, 6):
        assert f"| {difficulty} | {count(difficulty):.3g} |" in page
