"""A page of one run of the benchmarks: `python -m benchmarks.page RUN.json` writes RUN.html beside it.

It takes any benchmark that pytest-benchmark timed. What the benchmark puts into ``extra_info`` is told by its name:

- ``million columns per second``, anything that ends in *per second*: a rate, drawn beside the others of the same unit;
- ``times faster than the definition``, anything that begins with *times*: a ratio, a dot on a logarithmic scale;
- ``million positions per second by bound``, a dictionary of numbers by positive numbers: a curve, both scales logarithmic, with
  every point's value beside it; what stands behind *by* names the axis;
- anything else: shown in the table as it is.
"""

import json
import sys
from collections import defaultdict
from math import ceil, floor, log10
from pathlib import Path

from jinja2 import Environment

BAR, LABEL, ROW = 360, 430, 22
WIDTH, HEIGHT, MARGIN = 720, 260, 44

TEMPLATE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Benchmarks {{ date }}</title>
<style>
body { font: 15px/1.4 system-ui, sans-serif; max-width: 68rem; margin: 2rem auto; padding: 0 1rem; color: #222 }
table { border-collapse: collapse } td, th { padding: .2rem .8rem .2rem 0; text-align: left; vertical-align: top }
td.number { text-align: right; white-space: nowrap } tr { border-bottom: 1px solid #ddd }
svg { font: 12px system-ui, sans-serif; max-width: 100% } rect, circle { fill: #8b5a2b }
line { stroke: #ddd }
polyline { fill: none; stroke: #8b5a2b; stroke-width: 2 }
</style>
<h1>Benchmarks, {{ date }}</h1>
<p>{{ machine }}. Commit {{ commit }}. Times are those of the best round.</p>
{% for chart in charts %}
<h2>{{ chart.title }}{% if chart.ticks %}, logarithmic{% endif %}</h2>
{% set bottom = chart.bars|length * row %}
<svg viewBox="0 0 {{ width }} {{ bottom + (row if chart.ticks else 0) }}" width="{{ width }}" role="img" aria-label="{{ chart.title }}">
{% for tick in chart.ticks %}{% set x = "%.1f"|format(label + tick.length) %}
<line x1="{{ x }}" x2="{{ x }}" y1="0" y2="{{ bottom }}"/>
<text x="{{ x }}" y="{{ bottom + 15 }}" text-anchor="middle">{{ tick.value }}</text>{% endfor %}
{% for bar in chart.bars %}{% set y = loop.index0 * row %}
<text x="{{ label - 8 }}" y="{{ y + 15 }}" text-anchor="end">{{ bar.name }}</text>
{% if chart.ticks %}
<circle cx="{{ "%.1f"|format(label + bar.length) }}" cy="{{ y + row / 2 }}" r="4"/>
{% else %}
<rect x="{{ label }}" y="{{ y + 3 }}" width="{{ "%.1f"|format(bar.length) }}" height="{{ row - 6 }}"/>
{% endif %}
<text x="{{ "%.1f"|format(label + bar.length + 6) }}" y="{{ y + 15 }}">{{ bar.value }}</text>{% endfor %}
</svg>
{% endfor %}
{% for curve in curves %}
<h2>{{ curve.title }}, both logarithmic</h2>
<p>{{ curve.name }}</p>
<svg viewBox="0 0 {{ curve_width }} {{ curve_height }}" width="{{ curve_width }}" role="img" aria-label="{{ curve.title }}">
<polyline points="{% for point in curve.points %}{{ point.across }},{{ point.down }} {% endfor %}"/>
{% for point in curve.points %}
<circle cx="{{ point.across }}" cy="{{ point.down }}" r="3"/>
<text x="{{ point.across }}" y="{{ point.down - 9 }}" text-anchor="middle">{{ point.value }}</text>
<text x="{{ point.across }}" y="{{ curve_height - 6 }}" text-anchor="middle">{{ point.at }}</text>{% endfor %}
</svg>
{% endfor %}
<h2>All</h2>
<table><tr><th>benchmark<th>best<th>median<th>rounds<th>and</tr>
{% for b in benchmarks %}
<tr><td>{{ b.name }}<td class="number">{{ b.best }}<td class="number">{{ b.median }}<td class="number">{{ b.rounds }}
<td>{% for key, value in b.notes %}{{ key }}: {{ value }}<br>{% endfor %}</tr>
{% endfor %}
</table>
"""


def page(run):
    """Return the page of a run, read from the JSON that pytest-benchmark writes."""
    charts = defaultdict(list)
    benchmarks, curves = [], []
    for benchmark in run["benchmarks"]:
        name, stats = benchmark["name"].removeprefix("test_"), benchmark["stats"]
        notes = benchmark["extra_info"]
        for key, value in notes.items():
            if is_curve(value):
                curves.append(curve(name, key, value))
            elif is_rate(key) or is_ratio(key):
                charts[key].append((name, value))
        benchmarks.append(
            {
                "name": name,
                "best": seconds(stats["min"]),
                "median": seconds(stats["median"]),
                "rounds": stats["rounds"],
                "notes": [
                    (key, number(value)) for key, value in notes.items() if not is_curve(value)
                ],
            }
        )
    in_order = sorted(charts.items(), key=lambda item: is_ratio(item[0]))
    machine, commit = run["machine_info"], run["commit_info"]
    cpu = machine.get("cpu") or {}
    return (
        Environment(autoescape=True, trim_blocks=True)
        .from_string(TEMPLATE)
        .render(
            date=run["datetime"][:10],
            machine=f"{cpu.get('brand_raw', machine['machine'])}, {cpu.get('count', '?')} cores,"
            f" Python {machine['python_version']}",
            commit=str(commit.get("id"))[:12] + (", changed since" if commit.get("dirty") else ""),
            charts=[chart(key, values) for key, values in in_order],
            curves=curves,
            benchmarks=benchmarks,
            label=LABEL,
            row=ROW,
            width=LABEL + BAR + 100,
            curve_width=WIDTH,
            curve_height=HEIGHT,
        )
    )


def is_rate(key):
    return key.partition(",")[0].endswith("per second")


def is_ratio(key):
    return key.startswith("times ")


def is_curve(value):
    return isinstance(value, dict)


def curve(name, title, values):
    """Return the points of a curve on the page, the least values at the left and below."""
    ats = [float(at) for at in values]

    def share(value, all_values):
        low, high = log10(min(all_values)), log10(max(all_values))
        return (log10(value) - low) / (high - low) if high > low else 0.5

    points = [
        {
            "across": round(MARGIN + share(at, ats) * (WIDTH - 2 * MARGIN), 1),
            "down": round(
                HEIGHT - MARGIN - share(value, values.values()) * (HEIGHT - 2 * MARGIN), 1
            ),
            "at": f"{at:,.12g}",
            "value": number(value),
        }
        for at, value in zip(ats, values.values(), strict=True)
    ]
    return {"name": name, "title": title, "points": points}


def chart(title, values):
    """Return bars, the longest of length BAR; or where dots stand on a logarithmic scale between powers of ten."""
    numbers = [value for _, value in values]
    ticks = []
    if is_ratio(title) and min(numbers) > 0:
        low = floor(log10(min(numbers)))
        high = max(ceil(log10(max(numbers))), low + 1)

        def length(value):
            return BAR * (log10(value) - low) / (high - low)

        powers = [10.0**i for i in range(low, high + 1)]
        ticks = [{"value": number(power), "length": length(power)} for power in powers]
    else:

        def length(value):
            return BAR * value / max(*numbers, 1e-300)

    bars = [{"name": name, "value": number(v), "length": length(v)} for name, v in values]
    return {"title": title, "ticks": ticks, "bars": bars}


def number(value):
    """Return a number with four digits that count.

    Examples
    --------
    >>> number(1234567), number(0.123456), number("yes")
    ('1,235,000', '0.1235', 'yes')
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    rounded = float(f"{value:.4g}")
    return f"{int(rounded):,}" if rounded == int(rounded) else f"{rounded:,}"


def seconds(value):
    """Return a time in the unit that people read it in.

    Examples
    --------
    >>> seconds(0.00123456)
    '1.235 ms'
    """
    for unit, size in (("s", 1), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= size:
            return f"{number(value / size)} {unit}"
    return f"{number(value / 1e-9)} ns"


def main():
    source = Path(sys.argv[1])
    target = source.with_suffix(".html")
    target.write_text(page(json.loads(source.read_text(encoding="utf-8"))), encoding="utf-8")
    sys.stdout.write(f"Benchmarks: {target}\n")


if __name__ == "__main__":
    main()
