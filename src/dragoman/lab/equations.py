"""Equations of claims, written in LaTeX: MathML for pages, plain Unicode for the terminal."""

from functools import lru_cache
from xml.etree.ElementTree import tostring

from dragoman.lab.math_text import math_text
from dragoman.lab.mathml import math_tree


@lru_cache(maxsize=4096)
def to_mathml(latex: str, *, block: bool = False) -> str:
    """Return a formula as MathML for a page: within a line, or as a block of its own."""
    return tostring(math_tree(latex, block=block), encoding="unicode")


@lru_cache(maxsize=4096)
def to_text(latex: str) -> str:
    """Return a formula as a line of Unicode text."""
    return math_text(math_tree(latex))
