"""Formulas in LaTeX: what browsers draw, what the terminal shows; every one is readable."""

from xml.etree import ElementTree

import pytest

from dragoman.core.errors import DataError
from dragoman.lab.catalogue import topics
from dragoman.lab.equations import to_blocks, to_mathml, to_text
from dragoman.lab.markup import paragraphs, plain_text, spans

MATHML = "{http://www.w3.org/1998/Math/MathML}"

TEXTS = [
    (r"(a \odot b)_i = a_i b_i, \qquad a \odot b = \mathrm{diag}(a)\, b",
     "(a ⊙ b)ᵢ = aᵢbᵢ,   a ⊙ b = diag(a) b"),
    (r"\frac{\partial L}{\partial W} = \sum_{t=1}^{T} \delta_t x_t^\top", "∂L/∂W = ∑ₜ₌₁ᵀ δₜxₜᵀ"),
    (r"\frac{a+b}{c}", "(a + b)/c"),
    (r"\frac{1}{2} x", "(1/2)x"),
    (r"\left( \frac{a}{b} \right)^2", "(a/b)²"),
    (r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}", "(a, b; c, d)"),
    (r"f(x) = \begin{cases} 1 & x > 0 \\ 0 & \text{otherwise} \end{cases}",
     "f(x) = {1, x > 0; 0, otherwise"),
    (r"\begin{aligned} a &= b \\ c &= d \end{aligned}", "a = b; c = d"),
    (r"\lVert x \rVert_2 \le \sqrt{n}\,\max_i |x_i|", "‖x‖₂ ≤ √n maxᵢ |xᵢ|"),
    (r"\hat{y} = \operatorname{softmax}(z / \tau)", "ŷ = softmax(z/τ)"),
    (r"h_t = \tanh(W h_{t-1} + b)", "hₜ = tanh(Whₜ₋₁ + b)"),
    (r"H(p,q) = -\sum_i p_i\log q_i", "H(p, q) = −∑ᵢ pᵢ log qᵢ"),
    (r"p(y \mid x) = \prod_t p(y_t \mid y_{<t}, x)", "p(y | x) = ∏ₜ p(yₜ | y_{<t}, x)"),
    (r"\mathbf{W}\in\mathbb{R}^{m\times n}", "𝐖 ∈ ℝ^{m × n}"),
    (r"\boldsymbol{\mu} + \bar{x} + \overline{ab}", "𝝁 + x̄ + mean(ab)"),
    (r"\sigma'(z)=\sigma(z)(1-\sigma(z))", "σ′(z) = σ(z)(1 − σ(z))"),
    (r"\sqrt[3]{x} + \sqrt{a + b}", "∛x + √(a + b)"),
    (r"\arg\max_x f", "arg maxₓ f"),
    (r"\lim_{n\to\infty} 10^{-n}", "lim_{n → ∞} 10⁻ⁿ"),
    (r"1{,}000 \approx 2^{10}", "1,000 ≈ 2¹⁰"),
    (r"\lfloor x \rfloor \le \langle a, b \rangle", "⌊x⌋ ≤ ⟨a, b⟩"),
    (r"x_\text{max} \underbrace{a}_{b}", "x_{max}a_b"),
]  # fmt: skip


@pytest.mark.parametrize(("latex", "text"), TEXTS)
def test_a_formula_reads_well_as_a_line_of_text(latex, text):
    assert to_text(latex) == text


@pytest.mark.parametrize("latex", [latex for latex, _ in TEXTS])
@pytest.mark.parametrize("block", [False, True])
def test_a_formula_is_well_formed_mathml(latex, block):
    written = to_blocks(latex) if block else to_mathml(latex)
    for tree in ElementTree.fromstring(f"<div>{written}</div>"):
        assert tree.tag == f"{MATHML}math"
        assert tree.get("display") == ("block" if block else "inline")
    assert "\\" not in written


def test_an_equation_can_be_broken_at_its_wide_spaces():
    assert to_blocks(r"a = b, \qquad c = d \quad e").count("<math ") == 3
    assert to_blocks(r"\frac{a \quad b}{c}").count("<math ") == 1


def test_the_name_of_a_function_is_one_upright_word_with_room_around_it():
    assert to_mathml(r"a \log b").count("<mspace") == 2
    assert "<mspace" not in to_mathml(r"\mathrm{ReLU}(x)")
    assert "<mi>ReLU</mi>" in to_mathml(r"\mathrm{ReLU}(x)")
    assert '<mi mathvariant="normal">d</mi>' in to_mathml(r"\mathrm{d}x")


def test_bounds_stand_below_a_maximum_only_in_a_line_of_its_own():
    assert "<munder>" in to_blocks(r"\max_i x_i")
    assert "<munder>" not in to_mathml(r"\max_i x_i")


@pytest.mark.parametrize("latex", [r"\bogus x", "a & b", r"\frac", "{", r"\limits_a"])
def test_what_cannot_be_converted_is_an_error_of_one_line(latex):
    with pytest.raises(DataError, match="not a formula that can be converted") as error:
        to_mathml(latex)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "latex",
    [r"\text{<script>alert(1)</script>}", r"\href{javascript:alert(1)}{x}",
     r"\text{</math>&lt;b&gt;}", r"\style{x:expression(alert(1))}{x}",
     r"\class{x\" onload=\"y}{x}", r"\color{\"red}{x}"],
)  # fmt: skip
def test_a_formula_brings_no_markup_of_its_own_into_a_page(latex):
    tree = ElementTree.fromstring(to_mathml(latex))
    assert all(one.tag.startswith(MATHML + "m") for one in tree.iter())
    assert {name for one in tree.iter() for name, _ in one.items()} <= {"display", "mathvariant"}


def test_markup_parts_a_text():
    found = [
        (one.kind, one.text) for one in spans("An *even $n$*, `f*g*h` and $a*b*c$; 2 * 3 * 4.")
    ]
    assert found == [
        ("text", "An "), ("emphasis", "even $n$"), ("text", ", "), ("code", "f*g*h"),
        ("text", " and "), ("math", "a*b*c"), ("text", "; 2 * 3 * 4."),
    ]  # fmt: skip
    assert paragraphs("One\nline.\n\n  Two.\n \n") == ["One line.", "Two."]
    assert plain_text("Of *all* $x_1$, `x`.") == "Of all x₁, x."


def formulas():
    """Yield every equation and every formula within a line of every topic, with its place."""
    for topic in topics().values():
        texts = {topic.name: topic.introduction}
        for section in topic.sections:
            texts[f"{topic.name}: {section.title}"] = f"{section.title} {section.text}"
        for claim in topic.claims:
            texts[claim.id] = f"{claim.statement} {claim.notes}"
            if claim.equation:
                yield claim.id, claim.equation
        for place, text in texts.items():
            yield from ((place, one.text) for one in spans(text) if one.kind == "math")


def test_every_formula_of_every_topic_can_be_drawn_and_read():
    found = list(formulas())
    assert found
    for place, latex in found:
        ElementTree.fromstring(f"<div>{to_blocks(latex)}{to_mathml(latex)}</div>")
        text = to_text(latex)
        assert text, (place, latex)
        assert not set(text) & set("\\&$"), (place, text)
