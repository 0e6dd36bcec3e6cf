"""What checking a claim on a table costs, beside computing the table: where it holds, and where it fails nearly everywhere.

A check looks at every cell, also after the first that contradicts the claim: it counts them and keeps the least.
"""

from pathlib import Path
from time import perf_counter

import pytest

from choco_pipeline.claims.checks.check import check_claim
from choco_pipeline.claims.language.catalogue import load_catalogue
from choco_pipeline.claims.language.verdict import HoldsToBound, Refuted
from choco_pipeline.games import parse_ruleset
from choco_pipeline.kernels import warm_up
from choco_pipeline.tables.computing import table

ROOT = Path(__file__).parents[1]
ROUNDS = 3
CLAIMS = [
    ("triangular-thm-7.3", "solid-bar(f=(x+z)//3)", "p-positions", 8192, HoldsToBound),
    ("triangular-conj-8.1", "solid-bar(f=(x+z)//1)", "p-positions", 8192, HoldsToBound),
    ("solid2022-conj-2", "solid-bar(f=(x+z)//1)", "p-positions", 8192, Refuted),
    ("solid2022-conj-2", "solid-bar(f=(x+z)//5)", "p-positions", 8192, Refuted),
    ("pass2016-thm-4.1", "with-pass(strip-bar(k=4,s=1))", "p-positions", 8192, HoldsToBound),
    ("pass2016-cor-4.1", "with-pass(strip-bar(k=4,s=1))", "p-positions", 8192, Refuted),
    ("triangular-thm-7.3", "solid-bar(f=(x+z)//3)", "grundy", 400, HoldsToBound),
    ("solid2022-conj-2", "solid-bar(f=(x+z)//5)", "grundy", 400, Refuted),
]


@pytest.mark.parametrize(("claim", "ruleset", "quantity", "bound", "verdict"), CLAIMS)
def test_check(benchmark, claim, ruleset, quantity, bound, verdict):
    warm_up()
    catalogue = load_catalogue(sorted((ROOT / "config" / "claims").glob("*.yaml")))
    game = parse_ruleset(ruleset)
    (order,) = [
        (one, parameters)
        for one, parameters in catalogue.fitting(ruleset, quantity)
        if one.id == claim
    ]
    computing = []

    def computed():
        start = perf_counter()
        data = table(game, bound, quantity)
        computing.append(perf_counter() - start)
        return (*order, game, bound, data), {}

    found = benchmark.pedantic(check_claim, setup=computed, rounds=ROUNDS)
    assert isinstance(found.verdict, verdict)
    cells = max(variable.size for variable in table(game, bound, quantity).data_vars.values())
    best = benchmark.stats.stats.min
    benchmark.extra_info |= {
        "million cells per second": round(cells / best / 1e6),
        "times as fast as computing the table": round(min(computing) / best, 2),
    }
