"""Zoomable pictures: for each family of games a figure whose tables are chosen on the page."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from bokeh.core.types import ID
from bokeh.embed import json_item
from bokeh.models import (
    BasicTicker,
    BoxZoomTool,
    ColumnDataSource,
    HoverTool,
    LinearColorMapper,
    PanTool,
    Range1d,
    ResetTool,
    SaveTool,
    WheelZoomTool,
)
from bokeh.models.annotations.legends import ColorBar
from bokeh.palettes import Viridis256
from bokeh.plotting import figure
from bokeh.resources import Resources
from markupsafe import Markup

from choco_pipeline.drawing import draw_svg
from choco_pipeline.games import parse_ruleset
from choco_pipeline.report.charts.pictures import Cells, Picture, pictures_of, sample_position
from choco_pipeline.report.game_families import family_of
from choco_pipeline.sweep.run_ledger import Ledger

#: Tables whose pictures are embedded in a report, over all families.
MOST_TABLES = 64
#: N and P; and P in neither game, without a pass, with one, in both (the blue and red of patterns, Figs 8 to 11).
OUTCOME = ("#f0e0c6", "#5b2e12")
PASSES = ("#f0e0c6", "#2166ac", "#c4342d", "#54278f")
BLANK = "rgba(128, 128, 128, 0.15)"
NO_PICTURE = np.full((1, 1), -1, np.int8)


@dataclass(frozen=True)
class Panel:
    """One figure of a family: everything the page's script needs to show it and to change its table."""

    #: Id on the page.
    name: str
    #: The figure as JSON that BokehJS embeds.
    item: Markup
    #: What its cells show.
    says: str
    legend: list[tuple[str, str]]
    #: For each choice of the family: the caption, or "" if that table has no such picture.
    captions: list[str]


@dataclass(frozen=True)
class Gallery:
    """A family of games on the page: its tables to choose from, their bars, and its figures."""

    family: str
    tables: int
    positions: int
    choices: list[str]
    rulesets: list[str]
    bars: list[Markup]
    chosen: int
    panels: list[Panel]


def galleries(ledger: Ledger, results: Path) -> list[Gallery]:
    """Return the families of games of a run, in order, with pictures of some tables of each."""
    by_family: dict[str, list[Any]] = defaultdict(list)
    for table in ledger.tables:
        by_family[family_of(table)].append(table)
    shares = _shares({family: len(tables) for family, tables in by_family.items()})
    return [
        _gallery(number, family, tables, spread(tables, shares[family]), results)
        for number, (family, tables) in enumerate(by_family.items())
    ]


def bokeh_script() -> Markup:
    """Return BokehJS, to be put into the page itself."""
    scripts = Resources(mode="inline", components=["bokeh"]).js_raw
    return Markup("\n".join(scripts).replace("</script", "<\\/script"))


def _shares(sizes: Mapping[str, int]) -> dict[str, int]:
    """Return how many tables of each family are shown: what small families do not need goes to the others.

    Examples
    --------
    >>> _shares({"one": 1, "many": 500})
    {'one': 1, 'many': 63}
    """
    shares, left = {}, MOST_TABLES
    for done, (sweep, size) in enumerate(sorted(sizes.items(), key=lambda item: item[1])):
        shares[sweep] = max(1, min(size, left // (len(sizes) - done)))
        left -= shares[sweep]
    return shares


def spread(tables: Sequence[Any], most: int) -> list[Any]:
    """Return at most `most` of the tables, evenly."""
    if len(tables) <= most:
        return list(tables)
    return [tables[int((i + 0.5) * len(tables) / most)] for i in range(most)]


def _gallery(
    number: int, family: str, tables: Sequence[Any], shown: Sequence[Any], results: Path
) -> Gallery:
    games = [parse_ruleset(table["ruleset"]) for table in shown]
    bars = [Markup(draw_svg(game, sample_position(game))) for game in games]
    pictures = [pictures_of(table, results) for table in shown]
    layers = max((len(of_table) for of_table in pictures), default=0)
    middle = len(shown) // 2
    chosen = max(range(len(shown)), key=lambda i: (bool(pictures[i]), -abs(i - middle)))
    panels = []
    for layer in range(layers):
        here = [of_table[layer] if layer < len(of_table) else None for of_table in pictures]
        panels.append(panel(f"figure-{number}-{layer}", here, chosen))
    return Gallery(
        family,
        len(tables),
        sum(table["positions"] for table in tables),
        _choices(shown),
        [game.notation for game in games],
        bars,
        chosen,
        panels,
    )


def _choices(tables: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return what tells the tables apart: the ruleset, and the bound where that is not enough."""
    names = [str(table["ruleset"]) for table in tables]
    return [
        name if names.count(name) == 1 else f"{name}, bound {table['bound']}"
        for name, table in zip(names, tables, strict=True)
    ]


def panel(name: str, pictures: Sequence[Picture | None], chosen: int) -> Panel:
    """Return the figure of a family's tables, at first of the one with number `chosen`; None for a table without one."""
    model = next(picture for picture in pictures if picture is not None)
    cells = [NO_PICTURE if picture is None else picture.cells for picture in pictures]
    everything = _source(f"{name}-all", cells, model.first - 0.5)
    plot = _plot(name, model, cells[chosen])
    plot.tags = [everything]  # the tables to choose from travel with the figure
    item: Any = json_item(plot, ID(name))
    captions = ["" if picture is None else picture.title or picture.says for picture in pictures]
    safe = json.dumps(item).replace("<", "\\u003c")
    return Panel(name, Markup(safe), model.says, _legend(model), captions)


def _source(name: str, cells: Sequence[Cells], first: float) -> ColumnDataSource:
    """Return images with the place of their first corner, their sizes and their largest values."""
    return ColumnDataSource(
        name=name,
        data={
            "image": cells,
            "left": [first] * len(cells),
            "width": [picture.shape[1] for picture in cells],
            "height": [picture.shape[0] for picture in cells],
            "high": [max(1, int(picture.max())) for picture in cells],
        },
    )


def _plot(name: str, model: Picture, cells: Cells) -> figure:
    first = model.first - 0.5
    rows, columns = (first, first + cells.shape[0]), (first, first + cells.shape[1])
    bottom, top = rows[::-1] if model.down else rows
    zoom = BoxZoomTool()
    # BokehJS takes more options than Bokeh's type stubs know of.
    options: dict[str, Any] = {
        "name": f"{name}-plot",
        "sizing_mode": "scale_width",
        "aspect_ratio": 1.1,
        "max_width": 560,
        "x_axis_label": model.column,
        "y_axis_label": model.row,
        "x_axis_location": "above" if model.down else "below",
        "tools": [zoom, WheelZoomTool(), PanTool(), ResetTool(), SaveTool()],
        "active_drag": zoom,
        "active_scroll": None,
        "background_fill_color": None,
        "border_fill_color": None,
    }
    plot = figure(
        x_range=Range1d(start=columns[0], end=columns[1]),
        y_range=Range1d(start=bottom, end=top),
        **options,
    )
    palettes = {"values": Viridis256, "outcome": OUTCOME, "passes": PASSES}
    palette = palettes[model.colours]
    high = max(1, int(cells.max())) if model.colours == "values" else len(palette) - 1
    mapper = LinearColorMapper(
        palette=palette, low=0, high=high, low_color=BLANK, name=f"{name}-mapper"
    )
    image: dict[str, Any] = {
        "source": _source(f"{name}-shown", [cells], first),
        "color_mapper": mapper,
        "origin": "bottom_left",
    }
    plot.image(image="image", x="left", y="left", dw="width", dh="height", **image)
    where = [(model.column, "$x{0}"), (model.row, "$y{0}")]
    plot.add_tools(HoverTool(tooltips=[*where, (model.says, "@image")]))
    plot.grid.visible = False
    plot.toolbar.logo = None
    plot.toolbar.autohide = True
    if model.colours == "values":
        bar = ColorBar(
            color_mapper=mapper, width=10, ticker=BasicTicker(), background_fill_color=None
        )
        plot.add_layout(bar, "right")
    return plot


def _legend(picture: Picture) -> list[tuple[str, str]]:
    """Return colours and their meaning, where a colour bar would not say it."""
    match picture.colours:
        case "values":
            return []
        case "outcome":
            return [(OUTCOME[1], "P-position"), (OUTCOME[0], "N-position")]
        case "passes":
            names = ("N in both", "P without a pass only", "P with a pass only", "P in both")
            return list(zip(PASSES, names, strict=True))
