"""Panels as inline SVG: well formed whatever the numbers, with round ticks and nothing on top."""

import math
import re
from xml.etree import ElementTree

import pytest

from dragoman.core.figures import number_text
from dragoman.plots.lab import Bars, HeatMap, Panel, PlotLine, curve
from dragoman.plots.svg.marks import LETTER, WIDTH, LegendEntry, legend
from dragoman.plots.svg.panel import panel_svg
from dragoman.plots.svg.scales import decade_ticks, doubling_ticks, linear_ticks, place_ticks

NAN, INF = math.nan, math.inf
ODD = [
    [], [1.0], [0.0], [1.0, 1.0], [NAN], [INF, -INF], [-1.0, 0.0, 1.0], [1e300, 1e-300],
    [1e-9, 2e-9], [-5.0, -4.0], [1e6 + 1, 1e6 + 2], [0.1, NAN, 0.3],
    list(range(500)), [-1e300, 1e300],
]  # fmt: skip


def texts(svg):
    return [one.text for one in ElementTree.fromstring(svg).iter("text")]


def well_formed(svg):
    tree = ElementTree.fromstring(svg)
    assert tree.tag == "svg"
    assert tree.get("role") == "img"
    assert tree.get("aria-label")
    assert not re.search(r"\b(?:nan|inf)\b", re.sub(r">[^<]*<", "><", svg))
    assert "id=" not in svg
    return tree


@pytest.mark.parametrize("values", ODD)
@pytest.mark.parametrize("logarithmic", [False, True])
@pytest.mark.parametrize("doubling", [False, True])
def test_lines_of_any_numbers_are_drawn(values, logarithmic, doubling):
    lines = [
        curve("one", range(len(values)), values),
        PlotLine("two", values, [[value, 2 * value] for value in values], dashed=True),
    ]
    well_formed(panel_svg(Panel("t", lines, "x", doubling=doubling, logarithmic=logarithmic)))
    well_formed(panel_svg(Panel("t", lines, "x", lowest=0.0, logarithmic=logarithmic)))


@pytest.mark.parametrize("values", ODD)
def test_bars_and_cells_of_any_numbers_are_drawn(values):
    names = [f"thing {number}" for number in range(len(values))]
    well_formed(panel_svg(Bars("t", names, [[value] for value in values], 0.5, "chance")))
    well_formed(panel_svg(Bars("t", names, [[value, 1.0] for value in values])))
    well_formed(panel_svg(HeatMap("t", [values, values], "across", "down")))
    well_formed(panel_svg(HeatMap("t", [[value] for value in values], "", "")))


def test_an_empty_panel_is_a_title():
    assert texts(panel_svg(HeatMap("alone", [], "", ""))) == ["alone"]
    well_formed(panel_svg(Panel("alone", [], "x")))
    well_formed(panel_svg(Bars("alone", [], [])))


def test_ticks_are_round_and_surround_the_values():
    assert linear_ticks([0.13, 0.97]).texts == ["0", "0.2", "0.4", "0.6", "0.8", "1"]
    assert linear_ticks([-3.2, 11.0]).texts == ["−5", "0", "5", "10", "15"]
    assert place_ticks([1, 50]).places[-1] == 50
    assert place_ticks([0, 3]).texts == ["0", "1", "2", "3"]
    assert decade_ticks([0.002, 300.0]).texts == ["0.001", "0.01", "0.1", "1", "10", "100", "1000"]
    assert decade_ticks([2.0, 7.0]).texts == ["1", "2", "5", "10"]
    assert decade_ticks([1e-30, 1.0]).texts[-1] == "1"
    assert doubling_ticks([1, 2, 4, 8], lambda share: True).texts == ["1", "2", "4", "8"]


def test_a_line_is_broken_where_a_value_is_missing():
    svg = panel_svg(Panel("t", [curve("a", range(5), [1, 2, NAN, 4, 5])], "x"))
    (path,) = (one for one in well_formed(svg).iter("path") if one.get("class") == "line c0"
               and one.get("d").count("L") > 1)  # fmt: skip
    assert path.get("d").count("M") == 2


def test_lines_without_chosen_colors_differ():
    svg = panel_svg(Panel("t", [curve(name, [1, 2], [1, 2]) for name in "abc"], "x"))
    assert {f"line c{number}" for number in range(3)} <= set(re.findall(r"line c\d", svg))


def test_entries_of_a_legend_keep_apart():
    entries = [LegendEntry("a name of some length " * (1 + number % 3), 0) for number in range(9)]
    marks, bottom = legend(entries, 0.0)
    boxes = []
    for mark in marks:
        one = ElementTree.fromstring(mark)
        if one.tag == "text":
            x, y = float(one.get("x")), float(one.get("y"))
            boxes.append((x, x + len(one.text) * LETTER, y))
    assert all(right <= WIDTH + 1 for _, right, _ in boxes)
    assert max(y for *_, y in boxes) <= bottom
    for number, (left, right, y) in enumerate(boxes):
        others = (box for box in boxes[number + 1 :] if box[2] == y)
        assert all(box[0] >= right or box[1] <= left for box in others)


def test_values_are_written_into_few_large_cells_only():
    assert "0.25" in texts(panel_svg(HeatMap("t", [[0.25, 0.75]], "", "")))
    many = [[0.25] * 30 for _ in range(30)]
    assert "0.25" not in texts(panel_svg(HeatMap("t", many, "", "")))


def test_shades_have_a_color_for_each_sign():
    svg = panel_svg(HeatMap("t", [[-1.0, 0.0, 2.0]], "", ""))
    cells = {one.get("class"): one.get("fill-opacity") for one in well_formed(svg).iter("path")}
    assert cells == {"cold": "0.50", "hot": "1.00"}


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (-0.0, "0"), (1, "1"), (-2.5, "−2.5"), (12345, "12,345"), (1e6, "10⁶"),
     (0.00012, "1.2·10⁻⁴"), (1e-10, "10⁻¹⁰"), (0.5494123, "0.5494"), (NAN, "not a number"),
     (INF, "∞"),
     (-INF, "−∞"), (123456.7, "123,457"), (9999.9999, "10,000"), (0.001, "0.001"),
     (-3e-8, "−3·10⁻⁸"), (999999.9, "1,000,000"), (1234.56, "1235"), (0.5, "0.5")],
)  # fmt: skip
def test_numbers_are_written_as_people_do(value, text):
    assert number_text(value) == text
