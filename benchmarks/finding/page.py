"""The page of one run: the sums, what was said and is not so, and a row for each target and decoy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from jinja2 import Environment

from benchmarks.finding.case import Case, Target

TEMPLATE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>What is found {{ run.date }}</title>
<style>
body { font: 15px/1.4 system-ui, sans-serif; max-width: 80rem; margin: 2rem auto; padding: 0 1rem; color: #222 }
table { border-collapse: collapse } td, th { padding: .2rem .8rem .2rem 0; text-align: left; vertical-align: top }
tr { border-bottom: 1px solid #ddd } td.number { text-align: right } .bad { color: #a00 } code { font-size: 90% }
</style>
<h1>What is found, {{ run.date }}</h1>
<p>{{ run.machine }}. Commit {{ run.commit }}.</p>
<table>{% for name, number in run.summary.items() %}<tr><td>{{ name }}<td class="number">{{ number }}</tr>{% endfor %}</table>
<h2>ContentKey, and not so</h2>
<table><tr><th>of<th>statement<th>counterexample</tr>
{% for score in run.scores %}{% for one in score.false %}
<tr><td>{{ score.id }}<td><code>{{ one.statement }}</code><td>{{ one.counterexample }}</tr>{% endfor %}{% endfor %}
</table>
{% for title, rows in parts %}
<h2>{{ title }}</h2>
<table><tr><th>name<th>seed<th>outcome<th>rank<th>statements<th>false<th>redundant<th>trivial<th>not read<th>seconds of a core<th>source, or why</tr>
{% for score, case in rows %}
<tr><td>{{ score.id }}<td>{{ score.seed }}<td{% if score.outcome in ("missed", "trapped") %} class="bad"{% endif %}>{{ score.outcome }}
<td class="number">{{ score.rank or "" }}<td class="number">{{ score.statements }}<td class="number">{{ score.false|length }}
<td class="number">{{ score.redundant|length }}<td class="number">{{ score.trivial|length }}<td class="number">{{ score.unread|length }}
<td class="number">{{ score.seconds }}<td>{{ case.source or case.why }}{% if score.why %} <em>{{ score.why }}</em>{% endif %}
{% if score.best %}<br><code>{{ score.best[:300] }}</code>{% endif %}</tr>{% endfor %}
</table>
{% endfor %}
"""


def page(run: Mapping[str, Any], cases: Sequence[Case]) -> str:
    """Return the page of a run, of which the JSON holds the same."""
    by_id = {case.id: case for case in cases}
    rows = [(score, by_id[score["id"]]) for score in run["scores"]]
    parts = [
        ("Targets", [row for row in rows if isinstance(row[1], Target)]),
        ("Decoys", [row for row in rows if not isinstance(row[1], Target)]),
    ]
    environment = Environment(autoescape=True, trim_blocks=True)
    return environment.from_string(TEMPLATE).render(run=run, parts=parts)
