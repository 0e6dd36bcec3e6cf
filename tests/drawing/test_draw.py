"""Drawings hold exactly the squares, boxes and stones of the definitions in the papers."""

import re
from dataclasses import replace
from itertools import islice
from xml.etree import ElementTree

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from choco_pipeline import (
    DisjunctiveSum,
    Nim,
    RectangularBar,
    SolidBar,
    StepBar,
    StripBar,
    WithPass,
    parse_ruleset,
)
from choco_pipeline.drawing.draw import CUT
from choco_pipeline.errors import RulesetError
from choco_pipeline.formula import parse
from choco_pipeline.games.bars import heaps
from choco_pipeline.games.height import FormulaHeight
from choco_pipeline.games.pictures import draw_svg, draw_text
from choco_pipeline.games.rules import Limit, Move, with_free_heap
from tests.own_games import OwnGame, own_games
from tests.rulesets import rulesets_with_bounds, solid_bars

SVG = "{http://www.w3.org/2000/svg}"


def squares(text):
    return text.count("□") + text.count("■")


def pieces(svg, *, pale):
    """Count the chocolate in an SVG: closed subpaths of flat and solid bars, stones of heaps."""
    count = 0
    for element in ElementTree.fromstring(svg).iter():
        name = element.get("class", "")
        if name.startswith("milk") and (element.get("opacity") is not None) == pale:
            count += element.get("d", "").count("z") if element.tag == SVG + "path" else 1
    return count


@given(
    k=st.integers(1, 6),
    s=st.integers(0, 6),
    z=st.integers(0, 12),
    x=st.integers(0, 12),
    data=st.data(),
)
def test_flat_bars_have_the_squares_of_their_definition(k, s, z, x, data):
    y = data.draw(st.integers(0, (z + s) // k))
    assume(y < 24)
    # step2015, Def 1.1: column i has min(y, ⌊(i+s)/k⌋) + 1 squares.
    columns = [min(y, (i + s) // k) + 1 for i in range(z + 1)]
    text = draw_text(StripBar(k, s), (x, y, z))
    *rows, caption = text.splitlines()
    assert caption == f"x = {x}, y = {y}, z = {z}"
    assert len(rows) == max(columns)
    seen = [sum(len(row) > 2 * c and row[2 * c] != " " for row in rows) for c in range(x + z + 1)]
    assert seen == [1] * x + columns, text
    assert rows[-1][2 * x] == "■"
    assert text.count("■") == 1
    assert pieces(draw_svg(StepBar(k, s), (y, z)), pale=False) == sum(columns)


@given(a=st.integers(0, 8), b=st.integers(0, 8), c=st.integers(0, 8), d=st.integers(0, 8))
def test_a_rectangular_bar_has_its_bitter_square_between_the_heaps(a, b, c, d):
    game = RectangularBar(a + b + 1, c + d + 1)
    rows = draw_text(game, (a, b, c, d)).splitlines()[:-1]
    assert [squares(row) for row in rows] == [c + d + 1] * (a + b + 1)
    assert rows[a][2 * c] == "■"
    assert pieces(draw_svg(game, (a, b, c, d)), pale=False) == (a + b + 1) * (c + d + 1)


@given(bar=solid_bars(), x=st.integers(0, 6), z=st.integers(0, 6), data=st.data())
def test_solid_bars_from_above_and_in_space(bar, x, z, data):
    y = data.draw(st.integers(0, min(bar.f(x, z), 7)))
    # solid2022, Def 1.6: column (u, w) has min(f(u, w), y) + 1 boxes.
    heights = [[min(bar.f(u, w), y) + 1 for w in range(z + 1)] for u in range(x + 1)]
    rows = draw_text(bar, (x, y, z)).splitlines()[1:-1]
    assert [[int(cell.lstrip("■")) for cell in row.split()[1:]] for row in rows] == heights
    assert rows[0].split()[1].startswith("■")
    svg = draw_svg(bar, (x, y, z))
    drawn = pieces(svg, pale=False) + bitter_faces(svg)
    assert drawn == visible_faces(heights), "each visible face of a box once, no hidden one"


def bitter_faces(svg):
    found = ElementTree.fromstring(svg).iter(SVG + "path")
    return sum(path.get("d", "").count("z") for path in found if path.get("class") == "bitter")


def visible_faces(heights):
    """Count the faces of unit boxes that a ray from their middle to the viewer leaves free."""

    def solid(x, h, z):
        inside = 0 <= x < len(heights) and 0 <= z < len(heights[0])
        return inside and 0 <= h < heights[int(x)][int(z)]

    def free(x, h, z):
        steps = [0.02 * i for i in range(1, 50 * (len(heights) + len(heights[0])))]
        return not any(solid(x - t, h + t / 0.9, z - t) for t in steps)

    count = 0
    for u, row in enumerate(heights):
        for w, high in enumerate(row):
            for h in range(high):
                middles = [(u + 0.5, h + 1, w + 0.5), (u, h + 0.5, w + 0.5), (u + 0.5, h + 0.5, w)]
                count += sum(free(*middle) for middle in middles)
    return count


@given(drawn=rulesets_with_bounds(), data=st.data())
def test_every_ruleset_is_drawn_inside_and_a_move_takes_what_is_pale(drawn, data):
    game, bound = drawn
    position = data.draw(st.sampled_from(list(game.positions(bound))))
    caption = ", ".join(f"{n} = {c}" for n, c in zip(game.coordinates, position, strict=True))
    assert draw_text(game, position).splitlines()[-1] == caption
    whole = draw_svg(game, position)
    root = ElementTree.fromstring(whole)
    assert caption in root.get("aria-label", "")
    for option in list(game.options(position))[:3]:
        after = draw_svg(game, position, option)
        assert pieces(after, pale=False) == pieces(draw_svg(game, option), pale=False)
        if "circle" not in after and pieces(whole, pale=False):
            assert pieces(after, pale=True) == pieces(whole, pale=False)
    _, _, width, height = map(float, root.get("viewBox", "").split())
    for group in root.findall(SVG + "g"):
        dx, dy = map(float, re.findall(r"[-\d.]+", group.get("transform", "")))
        paths = "".join(path.get("d", "") for path in group.iter(SVG + "path"))
        places = re.findall(r"M([-\d.]+) ([-\d.]+)", paths)
        places += [(text.get("x", ""), text.get("y", "")) for text in group.iter(SVG + "text")]
        for x, y in places:
            assert 0 <= dx + float(x) <= width, position
            assert 0 <= dy + float(y) <= height, position


def described_as(**limits):
    """Return a game of plain moves on the coordinates x, y, z of a bar, each limited by a formula in z or in x, z."""
    of = {name: tuple(sorted(parse(text).names)) for name, text in limits.items()}
    formulas = {name: FormulaHeight(parse(text), of[name]) for name, text in limits.items()}
    heights = {name: Limit(formula, of[name]) for name, formula in formulas.items()}
    return OwnGame(replace(heaps("x", "y", "z"), limits=heights))


@given(z=st.integers(0, 9), data=st.data())
def test_a_bar_with_two_heights_has_squares_on_both_sides(z, data):
    x, y = data.draw(st.integers(0, z // 3)), data.draw(st.integers(0, z // 2))
    game = described_as(y="z//2", x="z//3")
    *rows, _ = draw_text(game, (x, y, z)).splitlines()
    bitter = next(i for i, row in enumerate(rows) if row.startswith("■"))
    assert bitter == y
    for column in range(z + 1):
        here = [row[2 * column : 2 * column + 1] for row in rows]
        assert sum(cell == "□" for cell in here[:bitter]) == min(y, column // 2)
        assert sum(cell == "□" for cell in here[bitter + 1 :]) == min(x, column // 3)
    whole = sum(1 + min(y, i // 2) + min(x, i // 3) for i in range(z + 1))
    assert pieces(draw_svg(game, (x, y, z)), pale=False) == whole


def test_games_of_ones_own_are_bars_where_they_are_chocolate_and_heaps_elsewhere():
    solid = described_as(y="(x+z)//3").rules
    same = OwnGame(solid.rename({"x": "a", "y": "c", "z": "b"}))
    text = draw_text(SolidBar("(x+z)//3"), (4, 2, 5))
    renamed = text.replace("x=", "a=").replace("z=", "b=").splitlines()[:-1]
    assert draw_text(same, (4, 2, 5)).splitlines() == [*renamed, "a = 4, c = 2, b = 5"]
    names, moves = ("w", *solid.coordinates), (Move(("w",)), *solid.moves)
    beside = replace(solid, coordinates=names, moves=moves)
    heap, *_ = draw_text(OwnGame(with_free_heap(beside)), (2, 4, 2, 5)).splitlines()[-2:]
    assert heap.startswith("w  ● ●   +")
    wythoff = OwnGame(replace(heaps("a", "b"), moves=(Move(("a", "b"), "same"),)))
    assert draw_text(wythoff, (2, 1)).splitlines() == ["a  ● ●", "b  ●", "a = 2, b = 1"]
    step = replace(described_as(y="z//2").rules, coordinates=("y", "z"))
    marked = replace(step, moves=(Move(("y",)), Move(("z",), (1, 2))))
    assert "●" in draw_text(OwnGame(marked), (1, 2)), "not every cut is allowed"


@given(game=own_games(), data=st.data())
def test_every_described_game_is_drawn(game, data):
    position = data.draw(st.sampled_from(list(game.positions(3))))
    assert draw_text(game, position)
    for option in islice(game.options(position), 3):
        ElementTree.fromstring(draw_svg(game, position, option))


@pytest.mark.parametrize(
    ("notation", "position", "counts"),
    [
        ("strip-bar(k=3)", (100, 30, 200), ["82", "183", "25"]),
        ("rectangular-bar(m=90, n=20)", (60, 29, 3, 4), ["49", "17"]),
        ("solid-bar(f=(x+z)//2)", (500, 100, 500), ["477", "483"]),
        ("nim(2)", (100, 3), ["64"]),
    ],
)
def test_text_of_large_positions_is_cut_off_and_says_so(notation, position, counts):
    text = draw_text(parse_ruleset(notation), position)
    assert re.findall(r"(\d+) more", text) == counts
    assert max(map(len, text.splitlines())) <= 90
    assert len(text.splitlines()) <= 30


@pytest.mark.parametrize(
    ("notation", "piece"),
    [("strip-bar(k=3)", "square"), ("solid-bar(f=(x+z)//2)", "box"), ("nim(3)", "stone")],
)
def test_svg_of_large_positions_stays_small_and_says_so(notation, piece):
    svg = draw_svg(parse_ruleset(notation), (10**6, 10**5, 10**6))
    assert f"one {piece} stands for" in svg
    assert len(svg) < 120_000


def test_passes_and_sums_stand_side_by_side():
    game = DisjunctiveSum(WithPass(Nim(1), passes=2), StepBar(k=1))
    *above, bottom, caption = draw_text(game, (2, 1, 1, 1)).splitlines()
    assert [line.strip() for line in above] == ["□"]
    assert bottom == "a  ● ●   passes left: 1   +   ■ □"
    assert caption == "a = 2, p = 1, y = 1, z = 1"
    svg = draw_svg(game, (2, 1, 1, 1), (2, 0, 1, 1))
    assert ">passes left: 1<" in svg
    assert '<g opacity="0.3">' in svg, "the pass that is used is pale"
    assert CUT in svg


def test_a_position_of_another_game_is_refused():
    with pytest.raises(RulesetError, match="above its height"):
        draw_text(StepBar(k=4), (5, 3))
    with pytest.raises(RulesetError, match="3 coordinates"):
        draw_svg(SolidBar("x//2"), (1, 2))
