"""Equations of claims, written in LaTeX: MathML for pages, plain Unicode for the terminal."""

from functools import lru_cache
from xml.etree.ElementTree import tostring

from dragoman.lab.math_text import math_text
from dragoman.lab.mathml import math_blocks, math_tree


@lru_cache(maxsize=4096)
def to_mathml(latex: str) -> str:
    """Return a formula as MathML that stands within a line."""
    return tostring(math_tree(latex), encoding="unicode")


@lru_cache(maxsize=4096)
def to_blocks(latex: str) -> str:
    """Return an equation as blocks of MathML, between which a page may begin a new line."""
    return "".join(tostring(one, encoding="unicode") for one in math_blocks(latex))


@lru_cache(maxsize=4096)
def to_text(latex: str) -> str:
    """Return a formula as a line of Unicode text."""
    return math_text(math_tree(latex))
